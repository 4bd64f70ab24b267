#include "transport/shared_memory/heartbeat.hpp"

#include "transport/process/blocked_signals.hpp"
#include "transport/process/thread_start.hpp"

namespace lbsp::transport::shared_memory {

Heartbeat::Heartbeat(Seat& seat, Duration interval) {
  const BlockedSignals blocked;
  thread_ = start_thread("the sign that a rank lives", [this, &seat, interval] { run(seat, interval); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Heartbeat::run(Seat& seat, Duration interval) {
  std::unique_lock lock(mutex_);
  do {
    seat.heartbeat.fetch_add(1, std::memory_order_relaxed);
  } while (!ended_.wait_for(lock, interval, [&] { return end_; }));
}

Duration Silence::note(Rank rank, const Seat& seat, Duration waited) {
  Known& known = known_[static_cast<std::size_t>(rank)];
  const std::uint32_t heartbeat = seat.heartbeat.load(std::memory_order_relaxed);
  if (heartbeat != known.heartbeat) known = {heartbeat, Duration{0}};
  known.silent += waited;
  return known.silent;
}

}  // namespace lbsp::transport::shared_memory
