#include "tools/profile/profile_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>
#include <tuple>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/json_nesting.hpp"
#include "tools/command_line/memory_end.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/command_line/text_file.hpp"
#include "tools/profile/file_kind.hpp"
#include "tools/profile/json_place.hpp"
#include "transport/error.hpp"
#include "transport/options.hpp"

namespace lbsp::profile {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t most_hosts = 65535;
/// Of 250 hosts, with a handful of packet sizes, and some to spare.
constexpr std::size_t most_bytes = std::size_t{256} << 20;
constexpr std::int64_t most_samples = std::int64_t{1} << 53;

ordered_json json_of(const HostProfile& host) {
  ordered_json out = {{"name", host.name}, {"compute", nullptr}};
  if (host.compute) {
    out["compute"] = {{"dgemm_flops", host.compute->dgemm_flops},
                      {"sort_keys", host.compute->sort_keys},
                      {"fft_flops", host.compute->fft_flops},
                      {"stencil_points", host.compute->stencil_points}};
  }
  return out;
}

ordered_json json_of(const PairProfile& pair) {
  ordered_json second_copies = ordered_json::array();
  for (const SecondCopyLoss& one : pair.second_copy_loss)
    second_copies.push_back({{"spacing", one.spacing}, {"loss", one.loss}, {"sample", one.sample}});
  ordered_json out = {
      {"from", pair.from},
      {"to", pair.to},
      {"packet_size", pair.packet_size},
      {"fragmented", pair.fragmented},
      {"loss", pair.loss},
      {"loss_interval", pair.loss_interval},
      {"loss_sample", pair.loss_sample},
      {"second_copy_loss", second_copies},
      {"burst", pair.burst},
      {"rtt",
       {{"min", pair.round_trip.minimum}, {"median", pair.round_trip.median}, {"p99", pair.round_trip.p99}}},
      {"bandwidth", pair.bandwidth}};
  if (pair.largest_datagram) out["largest_datagram"] = *pair.largest_datagram;
  return out;
}

/// A bit a second, and what --rate takes at most. With less or more, times leave the range of numbers …
constexpr double least_bandwidth = 0.125;
constexpr double most_bandwidth = 1e15 / 8;
/// … as with longer ones.
constexpr double longest_round_trip = 3600;  ///< seconds
constexpr double least_compute_rate = 1e-3;  ///< likewise, operations a second

/// A rate that was not measured is 0, or not there.
double rate(const JsonPlace& compute, const char* key) {
  const auto place = compute.find(key);
  if (!place || place->number() == 0) return 0;
  return place->number_of_at_least(least_compute_rate);
}

HostProfile read_host(const JsonPlace& place) {
  HostProfile host{.name = place.member("name").text(), .compute = {}};
  if (host.name.empty()) place.member("name").fail("give the host's name");
  if (const auto compute = place.find("compute")) {
    host.compute =
        ComputeRates{.dgemm_flops = compute->member("dgemm_flops").number_of_at_least(least_compute_rate),
                     .sort_keys = rate(*compute, "sort_keys"),
                     .fft_flops = rate(*compute, "fft_flops"),
                     .stencil_points = rate(*compute, "stencil_points")};
  }
  return host;
}

std::uint64_t sample(const JsonPlace& place, const char* key) {
  const auto found = place.find(key);
  return found ? static_cast<std::uint64_t>(found->whole_number(0, most_samples)) : 0;
}

std::array<double, 2> read_interval(const JsonPlace& place) {
  const auto ends = place.items();
  if (ends.size() != 2) place.fail("give the two ends of the interval");
  const std::array<double, 2> interval = {ends[0].probability(), ends[1].probability()};
  if (interval[0] > interval[1]) place.fail("give its lower end first");
  return interval;
}

RoundTrip read_round_trip(const JsonPlace& place) {
  const auto time = [&](const char* key) { return place.member(key).number_within(0, longest_round_trip); };
  const RoundTrip times{.minimum = time("min"), .median = time("median"), .p99 = time("p99")};
  if (times.minimum > times.median || times.median > times.p99)
    place.fail("give min, median and p99 in rising order");
  return times;
}

/// Of a path: from where to where.
std::pair<int, int> read_ends(const JsonPlace& place, std::size_t hosts) {
  const auto last_host = static_cast<std::int64_t>(hosts) - 1;
  const auto from = static_cast<int>(place.member("from").whole_number(0, last_host));
  const auto to = static_cast<int>(place.member("to").whole_number(0, last_host));
  if (from == to) place.member("to").fail("name another host than from: a host has no path to itself");
  return {from, to};
}

PairProfile read_pair(const JsonPlace& place, std::size_t hosts) {
  const auto largest = static_cast<std::int64_t>(transport::max_datagram_bytes);
  PairProfile pair;
  std::tie(pair.from, pair.to) = read_ends(place, hosts);
  pair.packet_size = static_cast<int>(place.member("packet_size").whole_number(1, largest));
  if (const auto fragmented = place.find("fragmented")) pair.fragmented = fragmented->truth();
  pair.loss = place.member("loss").fraction();
  pair.loss_interval = read_interval(place.member("loss_interval"));
  pair.loss_sample = sample(place, "loss_sample");
  for (const JsonPlace& one : place.member("second_copy_loss").items())
    pair.second_copy_loss.push_back({.spacing = one.member("spacing").number_of_at_least(0),
                                     .loss = one.member("loss").probability(),
                                     .sample = sample(one, "sample")});
  pair.burst = place.member("burst").number_of_at_least(1);
  pair.round_trip = read_round_trip(place.member("rtt"));
  pair.bandwidth = place.member("bandwidth").number_within(least_bandwidth, most_bandwidth);
  if (const auto whole = place.find("largest_datagram"))
    pair.largest_datagram = static_cast<int>(whole->whole_number(1, largest));
  return pair;
}

void read_hosts(const JsonPlace& place, Profile& profile) {
  std::set<std::string> names;
  for (const JsonPlace& one : place.items()) {
    profile.hosts.push_back(read_host(one));
    if (!names.insert(profile.hosts.back().name).second)
      one.member("name").fail("name every host once: an earlier one has this name");
  }
  if (profile.hosts.empty()) place.fail("name at least one host");
  if (static_cast<std::int64_t>(profile.hosts.size()) > most_hosts)
    throw UsageError(
        fmt::format("a profile of {} hosts: at most {} fit a job", profile.hosts.size(), most_hosts));
}

void read_pairs(const JsonPlace& place, Profile& profile) {
  std::set<std::tuple<int, int, int>> seen;
  for (const JsonPlace& one : place.items()) {
    const PairProfile pair = read_pair(one, profile.hosts.size());
    if (!seen.insert({pair.from, pair.to, pair.packet_size}).second)
      one.fail("give each pair once for a packet size: an earlier entry is of the same");
    profile.pairs.push_back(pair);
  }
}

void read_failed(const JsonPlace& place, Profile& profile) {
  for (const JsonPlace& one : place.items()) {
    FailedPair failed;
    std::tie(failed.from, failed.to) = read_ends(one, profile.hosts.size());
    failed.reason = one.member("reason").text();
    profile.failed.push_back(failed);
  }
}

Profile read(const json& value, const std::string& source) {
  const JsonPlace whole(value, source);
  const JsonPlace version = whole.member("version");
  if (value["version"] != profile_version)
    version.fail(fmt::format("this lbsp reads profiles of version {}: measure again with its lbsp probe",
                             profile_version));
  Profile profile;
  if (const auto when = whole.find("measured_at")) profile.measured_at = when->text();
  read_hosts(whole.member("hosts"), profile);
  read_pairs(whole.member("pairs"), profile);
  if (const auto failed = whole.find("failed")) read_failed(*failed, profile);
  if (profile.pairs.empty() && profile.hosts.size() > 1)
    whole.member("pairs").fail("no pair was measured: measure with lbsp probe --hosts");
  return profile;
}

/// Names of files are easily mistaken.
void refuse_other_kind(std::string_view text, const std::string& source) {
  const FileKind kind = kind_of_file(text);
  if (kind != FileKind::other && kind != FileKind::profile)
    throw UsageError(
        fmt::format("{}: this is {}, and no profile: give one that lbsp probe --json has written", source,
                    name_of(kind)));
}

}  // namespace

std::string to_json(const Profile& profile) {
  ordered_json hosts = ordered_json::array();
  for (const HostProfile& host : profile.hosts)
    hosts.push_back(json_of(host));
  ordered_json pairs = ordered_json::array();
  for (const PairProfile& pair : profile.pairs)
    pairs.push_back(json_of(pair));
  ordered_json out = {
      {"version", profile_version}, {"measured_at", profile.measured_at}, {"hosts", hosts}, {"pairs", pairs}};
  for (const FailedPair& one : profile.failed)
    out["failed"].push_back({{"from", one.from}, {"to", one.to}, {"reason", one.reason}});
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Profile from_json(std::string_view text, const std::string& source) {
  const command_line::MemoryEnd guard;
  command_line::require_shallow(text, source);
  refuse_other_kind(text, source);
  json value;
  try {
    value = json::parse(text);
  } catch (const json::parse_error& problem) {
    throw UsageError(fmt::format("{}: not JSON from byte {} on: give a profile that lbsp probe has written",
                                 source, problem.byte));
  } catch (const json::exception&) {  // a number beyond all doubles
    throw UsageError(fmt::format(
        "{}: it has a number too large for a double: give a profile that lbsp probe has written", source));
  }
  return read(value, source);
}

Profile read_profile(const std::filesystem::path& path) {
  return from_json(command_line::read_text_file(path, "the profile", most_bytes), path.string());
}

void write_profile(const std::string& path, const Profile& profile) {
  const std::string text = to_json(profile);
  from_json(text, "the profile");
  if (path == "-") {
    command_line::write_output(text);
    return;
  }
  command_line::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace lbsp::profile
