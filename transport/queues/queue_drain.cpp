#include "transport/queues/queue_drain.hpp"

#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

constexpr Duration between_drains = std::chrono::seconds{10};
/// In a pause as long as this, a queue of the rank's own becomes shorter, too.
constexpr Duration pause_of_burst = std::chrono::milliseconds{20};
/// What a shorter burst has left in a queue is gone with the next pause.
constexpr int round_trips_of_burst = 4;

}  // namespace

bool QueueDrain::sent(Instant now) {
  if (now - std::exchange(last_sent_, now) > pause_of_burst) burst_began_ = now;
  if (!until_ || now < *until_) return false;
  until_.reset();
  return true;
}

bool QueueDrain::begin(Duration round_trip, Instant now) {
  if (until_ || now - burst_began_ < round_trips_of_burst * round_trip) return false;
  if (last_ && now - *last_ < between_drains) return false;
  last_ = now;
  until_ = now + 3 * round_trip / 2;
  return true;
}

}  // namespace lbsp::transport
