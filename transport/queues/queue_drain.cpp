#include "transport/queues/queue_drain.hpp"

#include <chrono>

namespace lbsp::transport {
namespace {

constexpr Duration between_drains = std::chrono::seconds{10};
/// In pauses that are together as long as this, a queue of the rank's own becomes shorter, too.
constexpr Duration pause_of_burst = std::chrono::milliseconds{20};
/// What a shorter burst has left in a queue is gone with the next pause.
constexpr int round_trips_of_burst = 4;

}  // namespace

bool QueueDrain::sent(Duration sending, Instant now) {
  if (now - sending_ends_ >= pause_of_burst) burst_began_ = sending_ends_ = now;
  sending_ends_ += sending;
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
