#include "tools/probe/survey_plan.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <netinet/in.h>
#include <set>
#include <string_view>
#include <unistd.h>

#include "tools/profile/network_view.hpp"
#include "tools/profile/profile_file.hpp"
#include "transport/error.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::probe {
namespace {

using profile::Profile;

launch::request::RunOptions run_options_of(const ProbeOptions& options) {
  launch::request::RunOptions run;
  run.hosts_file = options.hosts_file;
  run.launch_agent = options.launch_agent;
  run.remote_lbsp = options.remote_lbsp;
  return run;
}

std::string own_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name.front() != '\0' ? name.data() : "localhost";
}

/// This machine and the one other.
launch::places::Placement place_two(const ProbeOptions& options, const launch::request::RunOptions& run) {
  const auto at = options.host.find('@');
  launch::request::HostEntry other;
  other.name = at == std::string::npos ? options.host : options.host.substr(at + 1);
  if (at != std::string::npos) other.user = options.host.substr(0, at);
  other.address = other.name;
  auto placement = launch::places::place_ranks_on(run, {other});
  launch::places::PlacedHost here;
  here.name = own_name() == other.name ? std::string("here") : own_name();
  here.local = true;
  placement.hosts.insert(placement.hosts.begin(), here);
  return placement;
}

launch::places::Placement place(const ProbeOptions& options, const launch::request::RunOptions& run) {
  if (options.hosts_file.empty()) return place_two(options, run);
  auto placement = launch::places::place_ranks(run);
  if (placement.hosts.size() < 2)
    throw UsageError(
        fmt::format("{} has one host only: give two or more to measure between", options.hosts_file));
  return placement;
}

int place_of(const Profile& profile, std::string_view name, const std::string& option) {
  const auto found = std::ranges::find(profile.hosts, name, &profile::HostProfile::name);
  if (found == profile.hosts.end())
    throw UsageError(fmt::format("{}: the hosts file has no host '{}': name hosts as it does", option, name));
  return static_cast<int>(found - profile.hosts.begin());
}

/// HOST/HOST,HOST/HOST,…
std::vector<Pair> read_pairs(const std::string& text, const Profile& profile) {
  const std::string option = fmt::format("--pairs {}", text);
  std::set<Pair> asked;
  for (std::string_view left = text; !left.empty();) {
    const auto word = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), word.size() + 1));
    const auto slash = word.find('/');
    if (slash == std::string_view::npos)
      throw UsageError(fmt::format("{}: '{}' is no pair: write HOST/HOST,HOST/HOST", option, word));
    const int one = place_of(profile, word.substr(0, slash), option);
    const int other = place_of(profile, word.substr(slash + 1), option);
    if (one == other)
      throw UsageError(fmt::format("{}: '{}' is one host: name two different ones", option, word));
    asked.insert(std::minmax(one, other));
  }
  std::vector<Pair> pairs = tournament(static_cast<int>(profile.hosts.size()));
  std::erase_if(pairs, [&](const Pair& pair) { return !asked.contains(pair); });
  return pairs;
}

/// What was measured before, by the names of the hosts.
void take_over(Profile& profile, const Profile& earlier, const std::string& source) {
  profile.measured_at = earlier.measured_at;
  std::vector<int> places;
  for (const auto& host : earlier.hosts) {
    places.push_back(place_of(profile, host.name, "--resume " + source));
    profile.hosts[static_cast<std::size_t>(places.back())].compute = host.compute;
  }
  const auto now = [&](int place) { return places[static_cast<std::size_t>(place)]; };
  for (profile::PairProfile pair : earlier.pairs) {
    pair.from = now(pair.from);
    pair.to = now(pair.to);
    profile.pairs.push_back(pair);
  }
  for (const auto& failed : earlier.failed)
    profile.failed.push_back({now(failed.from), now(failed.to), failed.reason});
}

std::vector<Pair> pairs_to_measure(const ProbeOptions& options, const Profile& begun) {
  const int hosts = static_cast<int>(begun.hosts.size());
  if (!options.pairs.empty()) return read_pairs(options.pairs, begun);
  if (options.sample) return sample_pairs(hosts, *options.sample, options.seed);
  const profile::NetworkView known(begun);
  std::vector<Pair> pairs = tournament(hosts);
  std::erase_if(pairs, [&](const Pair& pair) {
    return known.knows(pair.first, pair.second) && known.knows(pair.second, pair.first);
  });
  return pairs;
}

/// Addresses that begin alike, by 24 bits or by 64 of IPv6, are taken to be of one site.
std::string site_of(const std::string& address) {
  const auto parsed = transport::parse_ip_address(address, 0);
  if (!parsed) return {};
  if (parsed->storage.ss_family == AF_INET) return address.substr(0, address.rfind('.'));
  const auto* const inner = reinterpret_cast<const sockaddr_in6*>(parsed->get());
  return fmt::format("{:02x}", fmt::join(inner->sin6_addr.s6_addr, inner->sin6_addr.s6_addr + 8, ""));
}

}  // namespace

SurveyPlan plan_survey(const ProbeOptions& options) {
  SurveyPlan plan{.run = run_options_of(options), .placement = {}, .begun = {}, .pairs = {}, .places = {}};
  plan.placement = place(options, plan.run);
  for (const auto& host : plan.placement.hosts) {
    plan.begun.hosts.push_back({host.name, std::nullopt});
    plan.places.push_back({.machine = {}, .processors = 1, .site = site_of(host.address)});
  }
  if (!options.resume_file.empty())
    take_over(plan.begun, profile::read_profile(options.resume_file), options.resume_file);
  plan.pairs = pairs_to_measure(options, plan.begun);
  return plan;
}

}  // namespace lbsp::probe
