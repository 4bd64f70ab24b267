#include "tools/wan/network/replay.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::wan::network {
namespace {

using profile::PairProfile;
using profile::Profile;

constexpr double longest_round_trip = 3600;  // as in a WAN spec

bool tells_more(const PairProfile& candidate, const PairProfile& than) {
  if (candidate.fragmented != than.fragmented) return than.fragmented;
  return candidate.fragmented ? candidate.packet_size < than.packet_size
                              : candidate.packet_size > than.packet_size;
}

const PairProfile& chosen(const Profile& profile, int from, int to) {
  const PairProfile* best = nullptr;
  for (const PairProfile& pair : profile.pairs) {
    if (pair.from != from || pair.to != to) continue;
    if (best == nullptr || tells_more(pair, *best)) best = &pair;
  }
  if (best == nullptr)
    throw UsageError(
        fmt::format("the profile has nothing from host {} to host {}: measure it with lbsp probe --resume",
                    profile.hosts[static_cast<std::size_t>(from)].name,
                    profile.hosts[static_cast<std::size_t>(to)].name));
  return *best;
}

transport::Duration nanoseconds(double seconds) {
  return transport::Duration{static_cast<transport::Duration::rep>(std::llround(seconds * 1e9))};
}

/// The half width of a uniform jitter that has this 99th percentile. Symmetric as it is, it cannot reach
/// further down than the minimum: what does so upwards are outliers, which it would spread over all packets.
double jitter_of(const profile::RoundTrip& round_trip) {
  const double from_above = (round_trip.p99 - round_trip.median) / (2 - std::sqrt(0.08));
  const double from_below = (round_trip.median - round_trip.minimum) / 2;
  return std::clamp(from_above, 0.0, std::max(from_below, 0.0));
}

/// Rates and losses; the delay depends on all rates of the hosts at both ends.
transport::WanSpec spec_of(const PairProfile& there) {
  transport::WanSpec spec;
  spec.loss = there.loss;
  spec.burst = std::max(there.burst, 1.0);
  spec.rate = transport::BytesPerSecond{there.bandwidth};
  return spec;
}

/// Seconds that such a packet spends on the links of the bed: the uplink, and behind it the pair's own if it
/// is slower.
double on_links(const PairSpecs& specs, int from, int to, int bytes) {
  const double own = specs.at(from, to).rate->value;
  const double uplink = specs.uplink(from).rate->value;
  return bytes / own + (own < uplink ? bytes / uplink : 0);
}

void set_delay(PairSpecs& specs, const PairProfile& there, const PairProfile& back) {
  const double median = (there.round_trip.median + back.round_trip.median) / 2;
  const double p99 = (there.round_trip.p99 + back.round_trip.p99) / 2;
  if (!(median <= longest_round_trip) || !(p99 <= longest_round_trip)) {
    throw UsageError(
        fmt::format("the profile's round trip from host {} to host {} is above 1h: measure it again",
                    there.from, there.to));
  }
  double links = 0;
  for (const int bytes : {there.packet_size, back.packet_size}) {
    links +=
        (on_links(specs, there.from, there.to, bytes) + on_links(specs, there.to, there.from, bytes)) / 2;
  }
  const double empty = std::max(median - links, 0.0);
  const double jitter = (jitter_of(there.round_trip) + jitter_of(back.round_trip)) / 2;
  auto& spec = specs.at(there.from, there.to);
  spec.round_trip_time = nanoseconds(empty);
  spec.jitter = nanoseconds(std::min(jitter, empty / 2));
}

/// Calls `visit(from, to)` for every ordered pair.
template <class Visit>
void for_each_pair(int hosts, Visit visit) {
  for (int from = 0; from < hosts; ++from) {
    for (int to = 0; to < hosts; ++to) {
      if (from != to) visit(from, to);
    }
  }
}

}  // namespace

PairSpecs specs_of(const Profile& profile) {
  const int hosts = static_cast<int>(profile.hosts.size());
  if (hosts > most_hosts)
    throw UsageError(fmt::format("the profile has {} hosts: a bed has at most {}", hosts, most_hosts));
  PairSpecs specs(hosts, {});
  for_each_pair(hosts, [&](int from, int to) { specs.at(from, to) = spec_of(chosen(profile, from, to)); });
  for_each_pair(hosts, [&](int from, int to) {
    set_delay(specs, chosen(profile, from, to), chosen(profile, to, from));
  });
  return specs;
}

}  // namespace lbsp::wan::network
