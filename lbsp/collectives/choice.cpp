#include "lbsp/collectives/choice.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "lbsp/queue.hpp"
#include "model/paper/exchange_time.hpp"

namespace lbsp {
namespace {

/// What one rank has measured; 0 where it has not.
struct Measure {
  double loss = 0;
  double sample = 0;
  double round_trip_seconds = 0;
  double bytes_per_second = 0;
};

/// Loss above this leaves the model nothing to compare.
constexpr double most_loss = 0.9;

template <class Variant>
Variant best_of(std::initializer_list<Variant> variants, std::uint64_t bytes, Rank ranks,
                const CollectiveNetwork& network) {
  Variant best = *variants.begin();
  double least = std::numeric_limits<double>::infinity();
  for (const Variant variant : variants) {
    const double seconds = expected_seconds(outline(variant, bytes, ranks), ranks, network);
    if (seconds >= least) continue;
    least = seconds;
    best = variant;
  }
  return best;
}

model::paper::Traffic traffic_of(const SuperstepOutline& superstep, Rank ranks, std::uint64_t segment_bytes) {
  const auto p = static_cast<double>(ranks);
  const auto messages = static_cast<double>(superstep.messages);
  const auto busiest = static_cast<double>(superstep.busiest);
  const auto segments =
      static_cast<double>((superstep.bytes + collective_overhead_bytes + segment_bytes - 1) / segment_bytes);
  const double empty = p * (p - 1) - messages;
  return {messages * segments + empty, 1, busiest * segments + (p - 1 - busiest)};
}

}  // namespace

CollectiveNetwork measured_network(World& world, const CollectiveNetwork& assumed) {
  const transport::NetworkMeasure measured = world.network();
  const Measure own{measured.loss, static_cast<double>(measured.loss_sample),
                    Seconds(measured.round_trip_time).count(), measured.bandwidth.value};
  Queue<Measure> queue(world);
  for (Rank to = 0; to < world.size(); ++to)
    queue.send(to, 0, own);
  world.sync();

  Measure sum;
  double least_rate = std::numeric_limits<double>::infinity();
  for (const auto message : queue) {
    const Measure& one = message.values().front();
    sum.loss += one.loss * one.sample;
    sum.sample += one.sample;
    sum.round_trip_seconds = std::max(sum.round_trip_seconds, one.round_trip_seconds);
    if (one.bytes_per_second > 0) least_rate = std::min(least_rate, one.bytes_per_second);
  }
  CollectiveNetwork network = assumed;
  if (sum.sample > 0) network.loss = std::min(sum.loss / sum.sample, most_loss);
  if (sum.round_trip_seconds > 0) network.round_trip_seconds = sum.round_trip_seconds;
  if (least_rate < std::numeric_limits<double>::infinity()) network.bytes_per_second = least_rate;
  return network;
}

double expected_seconds(std::span<const SuperstepOutline> supersteps, Rank ranks,
                        const CollectiveNetwork& network) {
  const double packet_seconds = static_cast<double>(network.segment_bytes) / network.bytes_per_second;
  const model::paper::Network path{network.loss, packet_seconds, network.round_trip_seconds};
  double seconds = 0;
  for (const SuperstepOutline& superstep : supersteps)
    seconds += model::paper::receiver_time(traffic_of(superstep, ranks, network.segment_bytes), path, {});
  return seconds;
}

Broadcast best_broadcast(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network) {
  using enum Broadcast;
  return best_of({direct, binomial_tree, van_de_geijn, two_phase}, bytes, ranks, network);
}

AllGather best_all_gather(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network) {
  using enum AllGather;
  return best_of({direct, ring, recursive_doubling, bruck}, bytes, ranks, network);
}

Reduce best_reduce(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network) {
  using enum Reduce;
  return best_of({direct, binomial_tree, two_phase}, bytes, ranks, network);
}

AllReduce best_all_reduce(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network) {
  using enum AllReduce;
  return best_of({direct, recursive_doubling, two_phase}, bytes, ranks, network);
}

Scan best_scan(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network) {
  using enum Scan;
  return best_of({direct, recursive_doubling}, bytes, ranks, network);
}

}  // namespace lbsp
