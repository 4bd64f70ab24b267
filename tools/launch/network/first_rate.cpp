#include "tools/launch/network/first_rate.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fmt/format.h>
#include <string>

#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::network {

using places::PlacedHost;
using places::Placement;
using request::RunOptions;

namespace {

/// What most hosts' uplinks carry: where a rank begins that has to find its rate.
constexpr transport::BytesPerSecond cautious_rate = transport::megabits_per_second(100);

/// Of the peer timeout: what a datagram may take. Behind it wait those by which a rank is known to live.
constexpr double most_of_patience = 0.5;
constexpr int digits_of_rate = 3;

/// Several of a host share its rate, unless all are on one or a network is pretended, which each has for itself.
int sharers(const RunOptions& options, const Placement& placement, const PlacedHost& host) {
  const bool several = placement.over_hosts && !options.wan && host.ranks < placement.size;
  return several ? host.ranks : 1;
}

struct SlowestWay {
  transport::BytesPerSecond rate;
  std::string name;  ///< of the way, or whence it is known
};

/// On which the first rank of that host is to send most slowly.
SlowestWay slowest_way(const RunOptions& options, const PlacedHost& host, int sharers,
                       const KnownNetwork* known) {
  const double part = 1.0 / sharers;
  if (options.rate_given) return {{options.exchange.rate.value * part}, "--rate"};
  if (options.rates.empty())
    return {{options.exchange.rate.value * part}, known != nullptr ? options.profile_file : "--wan"};
  const auto own = options.rate_of(host.first_rank);
  SlowestWay slowest{{own->value * part}, fmt::format("{}: host {}", options.profile_file, host.name)};
  for (const auto& path : known->paths_from(host.first_rank))
    if (path) slowest.rate = std::min(slowest.rate, path->bandwidth);
  return slowest;
}

}  // namespace

FirstRate first_rate(const RunOptions& options, std::optional<transport::BytesPerSecond> known) {
  const bool pretended = options.wan && options.wan->rate;
  const transport::BytesPerSecond rate = known.value_or(cautious_rate);
  return {.rate = pretended ? std::min(rate, *options.wan->rate) : rate, .find = !known && !pretended};
}

void limit_rate(RunOptions& options, const Placement& placement, const KnownNetwork* known) {
  if (options.rate_given) return;
  const auto lowest = known != nullptr ? known->rate() : std::nullopt;
  const bool leaves = placement.leaves_this_machine();
  if (!lowest && !leaves) return;
  const FirstRate first = first_rate(options, lowest);
  options.exchange.rate = first.rate;
  options.exchange.find_rate = first.find;
  // The rounds of the paper's schemes are as long for all, and have no rate for each path.
  if (!lowest || options.exchange.recovery != transport::Recovery::receiver) return;
  for (Rank rank = 0; rank < placement.size; ++rank) {
    const auto own = known->rate_from(rank);
    options.rates.push_back(own || leaves ? own : lowest);
  }
}

void require_enough_rate(const RunOptions& options, const Placement& placement, const KnownNetwork* known) {
  const bool told = options.rate_given || known != nullptr || (options.wan && options.wan->rate);
  if (!told || placement.size < 2 || options.backend != job::Backend::udp) return;
  const bool measured = known != nullptr && !options.rate_given;
  const std::size_t bytes = transport::first_datagram_bytes(options.exchange);
  const double patience = std::chrono::duration<double>(options.exchange.peer_timeout).count();
  for (const PlacedHost& host : placement.hosts) {
    const bool finds = options.exchange.find_rate || !options.rate_of(host.first_rank);
    if (host.ranks == 0 || finds) continue;
    const SlowestWay way = slowest_way(options, host, sharers(options, placement, host), known);
    const double seconds = static_cast<double>(bytes) / way.rate.value;
    if (seconds < most_of_patience * patience) continue;
    throw UsageError(fmt::format(
        "{}: at {} a datagram of {} bytes takes {:.0f} s, and a rank that is silent for {} is given up: {}, or raise "
        "--peer-timeout",
        way.name, transport::format_rate(way.rate, digits_of_rate), bytes, seconds,
        transport::format_duration(options.exchange.peer_timeout, digits_of_rate),
        measured ? "measure again with lbsp probe, give --rate" : "give a higher one"));
  }
}

}  // namespace lbsp::launch::network
