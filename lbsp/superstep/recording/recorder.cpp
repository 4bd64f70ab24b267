#include "lbsp/superstep/recording/recorder.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::superstep {

namespace {

/// In all peers' bytes that a trace's records may have, 16 bytes each.
constexpr std::size_t most_traced_peers = std::size_t{1} << 20;
constexpr std::size_t fewest_traced_records = 256;
/// To read fewer takes less time than to see how late it is.
constexpr std::uint64_t bytes_that_take_time = 4096;

/// The number depends on the ranks alone, so that all keep equally many.
std::size_t most_records(Rank ranks) {
  const auto others = static_cast<std::size_t>(std::max(1, ranks - 1));
  return std::clamp(most_traced_peers / others, fewest_traced_records, History::most_records);
}

}  // namespace

void Recorder::trace() {
  history_ = History(most_records(exchange_.size()));
  traced_.begin_trace(Clock::now());
}

History Recorder::copy() const {
  const std::lock_guard lock(history_mutex_);
  History out = history_;
  if (in_sync_since_.load(std::memory_order_acquire) == no_sync && is_unfiled_) out.add(figures_of(unfiled_));
  return out;
}

RunningTotals Recorder::running_totals() const {
  const std::lock_guard lock(history_mutex_);
  RunningTotals out{.totals = history_.totals(), .sync_began = std::nullopt};
  const auto since = in_sync_since_.load(std::memory_order_acquire);
  if (since != no_sync) {
    out.sync_began = Clock::time_point{Clock::duration{since}};
  } else if (is_unfiled_) {
    out.totals += figures_of(unfiled_);
  }
  return out;
}

SuperstepFigures Recorder::figures_of(const Closed& superstep) const {
  return {superstep.sync_began - superstep.began, superstep.ended - superstep.sync_began, superstep.h,
          superstep.traffic - filed_traffic_, superstep.forecast};
}

/// With the mutex: files what is unfiled.
void Recorder::file() {
  history_.add(figures_of(unfiled_));
  filed_traffic_ = unfiled_.traffic;
  is_unfiled_ = false;
}

const History& Recorder::history() {
  const std::lock_guard lock(history_mutex_);
  if (is_unfiled_) file();
  return history_;
}

void Recorder::begin_sync() {
  sync_began_ = clock_.now() - std::exchange(waited_before_, Clock::duration{0});
  const auto traffic = exchange_.counters();
  {
    // Also where nothing is unfiled: whoever has read that no sync goes on looks at what is unfiled next.
    const std::lock_guard lock(history_mutex_);
    if (is_unfiled_) {
      unfiled_.traffic = traffic;
      file();
    } else if (history_.supersteps() > 0 && traffic != filed_traffic_) {
      history_.credit_last(traffic - filed_traffic_);
      filed_traffic_ = traffic;
    }
    in_sync_since_.store(sync_began_.time_since_epoch().count(), std::memory_order_relaxed);
  }
  if (traced_.is_time_to_look(sync_began_)) {
    const Clock::duration stretch = sync_began_ - last_end_;
    traced_.look_before_sync(sync_began_, stretch, outside_of_calls() + stretch);
  }
  bytes_sent_ = 0;
  bytes_received_ = 0;
}

void Recorder::add_bytes(std::uint64_t sent, std::uint64_t received) {
  bytes_sent_ += sent;
  bytes_received_ += received;
}

void Recorder::end_waiting() {
  // The bytes first: so an empty superstep does the same with and without a trace.
  if (bytes_sent_ + bytes_received_ < bytes_that_take_time || !traces()) return;
  traced_.note_messages(clock_.now());
}

void Recorder::end_superstep() {
  close();
  is_unfiled_ = true;
  if (!traced_.is_due(last_end_)) {
    in_sync_since_.store(no_sync, std::memory_order_release);
    return;
  }
  const std::lock_guard lock(history_mutex_);
  file();
  in_sync_since_.store(no_sync, std::memory_order_relaxed);
  if (const auto traced = traced_.end(sync_began_, last_end_, outside_of_calls()))
    history_.trace_last(*traced);
}

void Recorder::end_job() {
  close();
  const std::lock_guard lock(history_mutex_);
  history_.add_end(figures_of(unfiled_));
  filed_traffic_ = unfiled_.traffic;
  in_sync_since_.store(no_sync, std::memory_order_relaxed);
  if (traces()) history_.trace_end(traced_.end_job(sync_began_, last_end_));
}

/// Up to the last superstep.
transport::Duration Recorder::outside_of_calls() const {
  return std::chrono::duration_cast<transport::Duration>(history_.totals().compute);
}

void Recorder::close() {
  unfiled_.began = std::exchange(last_end_, clock_.now());
  unfiled_.sync_began = sync_began_;
  unfiled_.ended = last_end_;
  unfiled_.h = std::max(bytes_sent_, bytes_received_);
  unfiled_.traffic = exchange_.counters();
  unfiled_.forecast = exchange_.forecast();
}

}  // namespace lbsp::superstep
