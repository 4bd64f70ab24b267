#include "transport/queues/bound/full_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lbsp::transport {
namespace {

/// A queue of which so much is lost in a round is full, if it is no shorter than this.
constexpr double drops_of_full = 0.3;
constexpr double least_full = 1e-3;  // seconds
/// So is one that is longer than this part of what usually stands, if so much is lost, and more than chance explains.
constexpr double part_of_usual = 0.5;
constexpr double least_excess_of_drops = 0.05;
constexpr double deviations_of_excess = 3;  // standard deviations
/// And one as long as that in every round for so long.
constexpr Duration least_lasting = std::chrono::milliseconds{250};
constexpr int round_trips_of_lasting = 20;
/// Datagrams that count as much as all before.
constexpr double memory_of_drops = 250;

}  // namespace

void FullQueue::note(const QueueSeen& seen, const Context& context) {
  const double chance = std::sqrt(std::max(seen.loss, context.own_loss) / std::max(seen.datagrams, 1.0));
  const bool drops = context.sends_long && seen.queue > part_of_usual * context.usual &&
                     context.excess > least_excess_of_drops + deviations_of_excess * chance;
  const bool much = context.excess > drops_of_full;
  rounds_of_drops_ = much && seen.longest > part_of_usual * context.usual ? rounds_of_drops_ + 1 : 0;
  if (!context.varying && (drops || (much && seen.queue > least_full))) holds_ = seen.queue;
  // One that is longer than that, and drops nothing, has shown that it holds more.
  if (holds_ && context.excess <= 0) holds_ = std::max(*holds_, seen.queue);
  note_lasting(seen, context);
}

void FullQueue::note_lasting(const QueueSeen& seen, const Context& context) {
  if (context.bounded || !context.sends_long || seen.queue <= part_of_usual * context.usual) {
    since_.reset();
    dropped_ = 0;
    return;
  }
  shortest_ = since_ ? std::min(shortest_, seen.queue) : seen.queue;
  if (!since_) since_ = seen.earlier_at;
  dropped_ += (context.excess - dropped_) * seen.datagrams / (seen.datagrams + memory_of_drops);
  const Duration lasting = std::max<Duration>(least_lasting, round_trips_of_lasting * context.round_trip);
  if (seen.later_at - *since_ > lasting && (!context.varying || dropped_ > drops_where_delays_vary))
    holds_ = shortest_;
}

}  // namespace lbsp::transport
