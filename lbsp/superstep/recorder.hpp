#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "lbsp/history.hpp"
#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// Measures one rank's supersteps: the time, the bytes and the traffic of each, from which it keeps the
/// history. One thread calls everything but copy().
class Recorder {
 public:
  explicit Recorder(const transport::Exchange& exchange)
      : exchange_(exchange), last_traffic_(exchange.counters()) {}

  const History& history() const { return history_; }
  /// For another thread, which may ask at any time.
  History copy() const {
    const std::lock_guard lock(history_mutex_);
    return history_;
  }

  /// A sync, or the end of the job, begins. What the last superstep sent since its sync returned belongs to
  /// that superstep: a sync ends when all has come, and what this rank sends may take longer.
  void begin_sync();
  /// Bytes of messages to and from the other ranks, in the sync that began last.
  void add_bytes(std::uint64_t sent, std::uint64_t received);
  /// The sync that began last is done.
  void end_superstep();
  /// The end of the job that began last is done.
  void end_job();

 private:
  using Clock = std::chrono::steady_clock;

  SuperstepFigures close_figures();

  const transport::Exchange& exchange_;
  History history_;
  mutable std::mutex history_mutex_;  ///< for what changes it, and for other threads
  Clock::time_point sync_began_;
  Clock::time_point last_end_ = Clock::now();
  transport::TrafficCounters last_traffic_;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_received_ = 0;
};

}  // namespace lbsp::superstep
