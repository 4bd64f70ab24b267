#include "transport/udp/driving/turns.hpp"

namespace lbsp::transport {

void Turns::take() {
  std::unique_lock lock(mutex_);
  ++takers_;
  if (driver_ == Driver::network) interrupt_();
  free_.wait(lock, [this] { return driver_ == Driver::nobody; });
  --takers_;
  driver_ = Driver::program;
  taker_ = std::this_thread::get_id();
  ++turns_;
}

bool Turns::is_mine() const {
  const std::lock_guard lock(mutex_);
  return driver_ == Driver::program && taker_ == std::this_thread::get_id();
}

void Turns::give(bool due) {
  const std::lock_guard lock(mutex_);
  driver_ = Driver::nobody;
  ++turns_;
  free_.notify_one();
  if (due) hurried_ = true;
  if (hurried_ || asleep_) given_.notify_one();
}

void Turns::await() {
  std::unique_lock lock(mutex_);
  for (bool mine = false; !mine;) {
    const std::uint64_t before = turns_;
    // Who has interrupted the network's turn goes first, however late the system wakes it.
    const auto open = [this] { return driver_ == Driver::nobody && takers_ == 0; };
    const bool hurried = given_.wait_for(lock, grace, [&] { return hurried_ && open(); });
    const bool same = turns_ == before;
    mine = hurried || (same && open());
    if (mine || !same) continue;
    asleep_ = true;
    given_.wait(lock, [this] { return driver_ == Driver::nobody; });
    asleep_ = false;
  }
  hurried_ = false;
  driver_ = Driver::network;
}

void Turns::pause() {
  const std::lock_guard lock(mutex_);
  driver_ = Driver::nobody;
  free_.notify_one();
}

void Turns::hurry() {
  const std::lock_guard lock(mutex_);
  hurried_ = true;
  given_.notify_one();
}

}  // namespace lbsp::transport
