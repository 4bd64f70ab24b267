#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "lbsp/superstep/recording/quick_clock.hpp"
#include "lbsp/superstep/recording/traced_superstep.hpp"
#include "lbsp/trace/history.hpp"
#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// Measures one rank's supersteps: the time, the bytes and the traffic of each, from which it keeps the
/// history. One thread calls everything but copy().
class Recorder {
 public:
  explicit Recorder(transport::Exchange& exchange)
      : exchange_(exchange), filed_traffic_(exchange.counters()), traced_(exchange) {}

  /// When the last superstep ended; at first, when the first one began.
  std::chrono::steady_clock::time_point last_end() const { return last_end_; }

  /// From here on keeps what a trace has, too. To be called before the first superstep.
  void trace();
  bool traces() const { return traced_.traces(); }

  const History& history();
  /// For another thread, which may ask at any time.
  History copy() const;
  /// Likewise.
  RunningTotals running_totals() const;

  /// A sync, or the end of the job, begins. What the last superstep sent since its sync returned belongs to
  /// that superstep: a sync ends when all has come, and what this rank sends may take longer.
  void begin_sync();
  /// Before a sync: the rank waited so long for others, which counts as part of the sync.
  void waited_before_sync(std::chrono::duration<double> time) {
    waited_before_ = std::chrono::duration_cast<Clock::duration>(time);
  }
  /// In a sync: what the program computes between these two counts as if it had computed it before the sync.
  void begin_work() { work_began_ = clock_.now(); }
  void end_work() { sync_began_ += clock_.now() - work_began_; }
  /// Bytes of messages to and from the other ranks, in the sync that began last.
  void add_bytes(std::uint64_t sent, std::uint64_t received);
  /// The bytes that it sent or those that it received, whichever are more.
  std::uint64_t bytes_of_last_sync() const { return std::max(bytes_sent_, bytes_received_); }
  /// So many of the bytes sent went to that rank. Counts only in a trace.
  void add_bytes_to(Rank rank, std::uint64_t bytes) { traced_.add_bytes_to(rank, bytes); }
  /// All messages of one leg have come.
  void end_waiting();
  /// The sync that began last is done.
  void end_superstep();
  /// The end of the job that began last is done.
  void end_job();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::rep no_sync = 0;

  /// A superstep, or the end of the job, as it was when it was over.
  struct Closed {
    Clock::time_point began;  ///< the superstep
    Clock::time_point sync_began;
    Clock::time_point ended;
    std::uint64_t h = 0;
    transport::TrafficCounters traffic;  ///< since the job began
    transport::Forecast forecast;
  };

  void close();
  SuperstepFigures figures_of(const Closed& superstep) const;
  void file();
  transport::Duration outside_of_calls() const;

  transport::Exchange& exchange_;
  QuickClock clock_;
  History history_;
  mutable std::mutex history_mutex_;  ///< for what changes it, and for other threads
  Clock::time_point sync_began_;
  Clock::time_point work_began_;
  Clock::duration waited_before_{0};  ///< the sync that begins next
  std::atomic<Clock::rep> in_sync_since_ =
      no_sync;  ///< for other threads; unfiled_ is written before it ends
  /// The last superstep, where it is not yet in the history: filed when the program's thread waits anyway. Changes
  /// hands by in_sync_since_ and the mutex.
  Closed unfiled_;
  bool is_unfiled_ = false;
  Clock::time_point last_end_ = Clock::now();
  transport::TrafficCounters filed_traffic_;  ///< that is in the history
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_received_ = 0;
  TracedSuperstep traced_;
};

}  // namespace lbsp::superstep
