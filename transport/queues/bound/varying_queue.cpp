#include "transport/queues/bound/varying_queue.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

struct Limit {
  double seconds;
  double of_round_trip;
};

/// A queue is too long if it is as long as this, or was so long for some rounds, or if so much more is lost.
constexpr Limit too_long{20e-3, 0.5};
constexpr Limit long_for_rounds{10e-3, 0.25};
constexpr int most_long_rounds = 3;
constexpr double most_drops = 0.2;

bool exceeds(double queue, const Limit& limit, Duration round_trip) {
  return queue > std::max(limit.seconds, limit.of_round_trip * seconds(round_trip));
}

}  // namespace

bool VaryingQueue::is_too_long(const QueueSeen& seen, double excess, Duration round_trip) {
  const double queue = seen.queue - seen.variation;
  long_rounds_ = exceeds(queue, long_for_rounds, round_trip) ? long_rounds_ + 1 : 0;
  return long_rounds_ >= most_long_rounds || exceeds(queue, too_long, round_trip) || excess > most_drops;
}

}  // namespace lbsp::transport
