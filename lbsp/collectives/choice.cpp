#include "lbsp/collectives/choice.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "lbsp/plan/protocol.hpp"
#include "lbsp/queue.hpp"
#include "model/superstep/best_protection.hpp"
#include "model/superstep/schedule.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp {
namespace {

using model::superstep::Superstep;

/// What one rank has measured; 0 where it has not.
struct Measure {
  double loss = 0;
  double sample = 0;
  double round_trip_seconds = 0;
  double bytes_per_second = 0;
};

/// Loss above this leaves the model nothing to compare.
constexpr double most_loss = 0.9;

/// The superstep as the busiest rank takes it to be: all others send as it does.
Superstep superstep_of(const SuperstepOutline& outline, Rank ranks, const CollectiveNetwork& network) {
  const auto others = static_cast<double>(ranks) - 1;
  const auto busiest = static_cast<double>(outline.busiest);
  const auto bytes = static_cast<double>(outline.bytes + collective_overhead_bytes);
  const auto& framing = plan::protocol().framing;
  const model::superstep::Datagrams datagrams{static_cast<double>(network.datagram_bytes), framing.datagram,
                                              network.bytes_per_second};
  Superstep superstep{
      static_cast<double>(ranks), {.round_trip = network.round_trip_seconds, .loss = network.loss}, {}};
  if (busiest > 0) superstep.messages.push_back(messages_of(busiest, bytes, datagrams));
  if (busiest < others)
    superstep.messages.push_back(messages_of(others - busiest, framing.message, datagrams));
  return superstep;
}

double predicted_seconds(const Superstep& superstep) {
  return predict(superstep, best_protection(superstep, {}, plan::protocol()), plan::protocol()).seconds;
}

/// A superstep may begin with a burst, for which a rank saves up while it sends nothing. If the superstep follows at
/// once on another, that was half a round trip: the seconds of sending that the burst is too short.
double missing_burst(const Superstep& superstep) {
  const double burst = std::min(superstep.seconds(), burst_of(superstep.messages, plan::protocol()));
  return std::max(0., burst - superstep.path.round_trip / 2);
}

template <class Variant>
Variant search(std::initializer_list<Variant> variants, std::uint64_t bytes, Rank ranks,
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

/// A program calls a collective with the same arguments over and over, and a search takes longer than a
/// superstep between threads.
template <class Variant>
Variant best_of(std::initializer_list<Variant> variants, std::uint64_t bytes, Rank ranks,
                const CollectiveNetwork& network) {
  using Question = std::tuple<std::uint64_t, Rank, double, double, double, std::size_t>;
  constexpr std::size_t most_known = 1024;
  thread_local std::map<Question, Variant> known;
  const Question question{bytes,
                          ranks,
                          network.loss,
                          network.round_trip_seconds,
                          network.bytes_per_second,
                          network.datagram_bytes};
  const auto found = known.find(question);
  if (found != known.end()) return found->second;
  if (known.size() >= most_known) known.clear();
  return known[question] = search(variants, bytes, ranks, network);
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
  double seconds = 0;
  double last_seconds = 0;
  std::optional<Superstep> last;
  for (const SuperstepOutline& each : supersteps) {
    Superstep superstep = superstep_of(each, ranks, network);
    if (last != superstep) last_seconds = predicted_seconds(superstep);
    if (seconds > 0) seconds += missing_burst(superstep);
    last = std::move(superstep);
    seconds += last_seconds;
  }
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
