#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "transport/process/thread_clock.hpp"
#include "transport/shared_memory/board.hpp"

namespace lbsp::transport::shared_memory {

/// A thread that shows the other ranks of the host that this rank's process runs, also while the program computes.
class Heartbeat {
 public:
  /// Throws SystemError if there can be no thread.
  Heartbeat(Seat& seat, Duration interval);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

  /// Of its thread.
  Duration processor_time() { return processor_time_of(thread_); }

 private:
  void run(Seat& seat, Duration interval);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

/// For how long this rank, while it waited, has seen no heartbeat of each of the others.
class Silence {
 public:
  explicit Silence(Rank seats) : known_(static_cast<std::size_t>(seats)) {}

  /// The rank has waited for so long since the last call. Returns the seat's silence.
  Duration note(Rank rank, const Seat& seat, Duration waited);

 private:
  struct Known {
    std::uint32_t heartbeat = 0;
    Duration silent{0};
  };
  std::vector<Known> known_;
};

}  // namespace lbsp::transport::shared_memory
