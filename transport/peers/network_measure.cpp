#include "transport/peers/network_measure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lbsp::transport {
namespace {

/// No more than the paths to other hosts carry together, if each has shown what it does.
BytesPerSecond rate_of_network(const EndpointState& state) {
  BytesPerSecond sum{0};
  for (const Rank rank : state.peers.others()) {
    const Peer& other = state.peers[rank];
    if (other.near) continue;
    const auto shown = other.path.rate.shown();
    if (!shown) return state.rate.rate();
    sum.value += shown->value;
  }
  return sum > BytesPerSecond{0} ? std::min(sum, state.rate.rate()) : state.rate.rate();
}

/// Of some paths: the sums of which there are means, and the longest and shortest datagrams.
class PathSums {
 public:
  void add(const Peer& other) {
    const std::size_t bytes = other.path.sizes.in_use();
    measure_.longest_datagram = std::max(measure_.longest_datagram, bytes);
    measure_.shortest_datagram =
        measure_.shortest_datagram == 0 ? bytes : std::min(measure_.shortest_datagram, bytes);
    measure_.loss_sample += other.inbound.numbers.next();
    lost_ += other.inbound.missing();
    if (!other.path.times.measured()) return;
    measure_.round_trip_time += other.path.times.round_trip();
    ++round_trips_;
  }

  NetworkMeasure means() const {
    NetworkMeasure measure = measure_;
    if (measure.loss_sample > 0)
      measure.loss = static_cast<double>(lost_) / static_cast<double>(measure.loss_sample);
    if (round_trips_ > 0) measure.round_trip_time /= round_trips_;
    return measure;
  }

 private:
  NetworkMeasure measure_;
  std::uint64_t lost_ = 0;
  std::int64_t round_trips_ = 0;
};

}  // namespace

NetworkMeasure network_measure(const EndpointState& state, BytesPerSecond best_arrival) {
  const auto is_near = [&](Rank rank) { return state.peers[rank].near; };
  const bool all_near = std::ranges::all_of(state.peers.others(), is_near);
  PathSums sums;
  for (const Rank rank : state.peers.others())
    if (all_near || !is_near(rank)) sums.add(state.peers[rank]);
  NetworkMeasure measure = sums.means();
  measure.bandwidth = best_arrival;
  measure.rate = rate_of_network(state);
  return measure;
}

KnownNetwork known_network(const EndpointState& state) {
  KnownNetwork known{.uplink = state.rate.found(), .paths = {}};
  known.paths.resize(static_cast<std::size_t>(state.config.size));
  for (const Rank rank : state.peers.others()) {
    const PeerPath& path = state.peers[rank].path;
    known.paths[static_cast<std::size_t>(rank)] = KnownNetwork::Path{path.sizes.in_use(), path.rate};
  }
  return known;
}

}  // namespace lbsp::transport
