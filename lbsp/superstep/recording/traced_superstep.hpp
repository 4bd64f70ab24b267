#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lbsp/trace/history.hpp"
#include "lbsp/trace/processor_time.hpp"
#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// What a trace has of a superstep besides the figures that are kept without one. A superstep in which nothing is to be
/// traced takes no longer with a trace than without: what takes time to read is read only now and then.
class TracedSuperstep {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TracedSuperstep(transport::Exchange& exchange) : exchange_(exchange) {}

  /// From `now` on a trace is kept.
  void begin_trace(Clock::time_point now);
  bool traces() const { return processor_.has_value(); }

  /// Whether a sync that begins or ends at `now` is to read more than the clock. Never without a trace.
  bool is_time_to_look(Clock::time_point now) const { return now >= next_look_; }
  /// A sync begins at `now`, `stretch` after the last one ended; the program has spent `program` outside of calls in
  /// all. To be called only if is_time_to_look().
  void look_before_sync(Clock::time_point now, Clock::duration stretch, transport::Duration program);

  /// So many bytes go to that rank.
  void add_bytes_to(Rank rank, std::uint64_t bytes) {
    if (!traces()) return;
    bytes_to_[static_cast<std::size_t>(rank)] += bytes;
    has_bytes_to_ = has_any_ = true;
  }
  /// Messages have come that take time to read.
  void note_messages(Clock::time_point now) {
    last_came_ = now;
    has_any_ = true;
  }

  /// Whether the superstep that ends at `ended` is to be traced, or it is time to look.
  bool is_due(Clock::time_point ended) const { return has_any_ || is_time_to_look(ended); }
  /// The superstep ends. Returns nothing if there is nothing of it to trace. To be called only if is_due().
  std::optional<trace::Figures> end(Clock::time_point sync_began, Clock::time_point ended,
                                    transport::Duration program);
  /// The end of the job, which began at `sync_began`, is done.
  trace::Figures end_job(Clock::time_point sync_began, Clock::time_point ended);

 private:
  bool read_network();
  void read_network_thread();
  trace::Figures take(Clock::time_point sync_began, Clock::time_point ended);

  transport::Exchange& exchange_;
  std::optional<trace::ProcessorTime> processor_;  ///< none: no trace is kept
  Clock::time_point next_look_ = Clock::time_point::max();
  transport::Duration without_processor_{0};  ///< before the sync that began last
  trace::Network network_;
  transport::Duration network_thread_read_{0};  ///< processor time of the network's thread, as read last …
  transport::Duration network_thread_{0};       ///< … and what of it is in no superstep yet
  Clock::time_point last_came_;                 ///< only of messages that take time to read
  std::vector<std::uint64_t> bytes_to_;         ///< by rank
  bool has_bytes_to_ = false;
  bool has_any_ = false;           ///< there is something to trace of the superstep
  bool looks_at_network_ = false;  ///< at the end of the superstep
};

}  // namespace lbsp::superstep
