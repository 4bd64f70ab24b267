#include "tools/launch/network/automatic_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <thread>

#include "tools/launch/network/known_network.hpp"
#include "tools/launch/request/hosts_file.hpp"
#include "tools/profile/profile_file.hpp"
#include "tools/tune/tune.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::network {

using request::HostEntry;
using request::RunOptions;

namespace {

/// The text given for `flag` in "--flag TEXT" or "--flag=TEXT".
std::optional<std::string> argument(const std::vector<std::string>& words, const std::string& flag) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(flag + "=")) return words[i].substr(flag.size() + 1);
  }
  return std::nullopt;
}

/// The positive number given for `flag`; `otherwise` if there is none.
double number(const std::vector<std::string>& words, const std::string& flag, double otherwise) {
  const std::string text = argument(words, flag).value_or("");
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value > 0 ? value : otherwise;
}

tune::Algorithm algorithm_of(const RunOptions& options) {
  const std::string name = std::filesystem::path(options.program).filename();
  const bool known = name == "matmul" || name == "bitonic_sort" || name == "fft2d" || name == "jacobi";
  const double size = number(options.arguments, "--size", 0);
  if (!known || size < 1)
    throw UsageError(fmt::format(
        "-n auto: the work of {} is not known: give -n a number, or run a ready program with --size N",
        options.program));
  tune::AlgorithmOptions algorithm{.name = name, .size = size};
  algorithm.sweeps = number(options.arguments, "--iterations", algorithm.sweeps);
  algorithm.halo = number(options.arguments, "--halo", algorithm.halo);
  return tune::Algorithm(algorithm);
}

/// The part of a profile that concerns these hosts, under their names.
profile::Profile restricted_to(const profile::Profile& whole, const std::vector<HostEntry>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const HostEntry& host : hosts)
    names.push_back(host.name);
  const std::vector<int> places = match_hosts(whole, names);
  profile::Profile part;
  for (std::size_t i = 0; i < places.size(); ++i) {
    part.hosts.push_back(whole.hosts[static_cast<std::size_t>(places[i])]);
    part.hosts.back().name = names[i];
  }
  for (profile::PairProfile pair : whole.pairs) {
    const auto from = std::ranges::find(places, pair.from);
    const auto to = std::ranges::find(places, pair.to);
    if (from == places.end() || to == places.end()) continue;
    pair.from = static_cast<int>(from - places.begin());
    pair.to = static_cast<int>(to - places.begin());
    part.pairs.push_back(pair);
  }
  for (const profile::FailedPair& failed : whole.failed) {
    const auto from = std::ranges::find(places, failed.from);
    const auto to = std::ranges::find(places, failed.to);
    if (from == places.end() || to == places.end()) continue;
    part.failed.push_back(
        {static_cast<int>(from - places.begin()), static_cast<int>(to - places.begin()), failed.reason});
  }
  return part;
}

ChosenNodes from_profile(const RunOptions& options, const tune::Algorithm& algorithm) {
  profile::Profile profile = profile::read_profile(options.profile_file);
  const std::vector<HostEntry> hosts = places::hosts_asked_for(options);
  if (!hosts.empty()) profile = restricted_to(profile, hosts);
  const auto platform = tune::make_measured_platform(profile, algorithm, std::nullopt);
  const tune::Advice advice = tune::advise(algorithm, *platform, {.halo = true});
  ChosenNodes chosen{.ranks = static_cast<int>(advice.tuning.best.nodes), .hosts = {}};
  if (!hosts.empty()) chosen.hosts = advice.hosts;
  return chosen;
}

ChosenNodes from_wan(const RunOptions& options, const tune::Algorithm& algorithm) {
  const transport::WanSpec& wan = *options.wan;
  double most = std::max(1U, std::thread::hardware_concurrency());
  const std::vector<HostEntry> hosts = places::hosts_asked_for(options);
  if (!hosts.empty()) most = 0;
  for (const HostEntry& host : hosts)
    most += host.slots;
  if (wan.loss >= 1)
    throw UsageError("-n auto: nothing arrives on a network with a loss of 100 %: choose less");
  const double round_trip = std::chrono::duration<double>(wan.round_trip_time).count();
  const auto platform = tune::make_uniform_platform(
      {.loss = wan.loss, .round_trip = round_trip, .bandwidth = options.exchange.rate.value},
      algorithm.usual_rate());
  const tune::Advice advice = tune::advise(algorithm, *platform, {.most_nodes = most, .halo = true});
  return {.ranks = static_cast<int>(advice.tuning.best.nodes), .hosts = {}};
}

}  // namespace

ChosenNodes choose_nodes(const RunOptions& options) {
  const tune::Algorithm algorithm = algorithm_of(options);
  if (!options.profile_file.empty()) return from_profile(options, algorithm);
  if (options.wan) return from_wan(options, algorithm);
  throw UsageError("-n auto: the network is not known: give --profile FILE of lbsp probe, or --wan SPEC");
}

}  // namespace lbsp::launch::network
