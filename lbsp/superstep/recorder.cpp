#include "lbsp/superstep/recorder.hpp"

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
  bytes_to_.assign(static_cast<std::size_t>(exchange_.size()), 0);
  processor_.emplace(Clock::now());
  network_thread_read_ = exchange_.network_thread_time();
  next_look_ = processor_->next_read();
}

RunningTotals Recorder::running_totals() const {
  const std::lock_guard lock(history_mutex_);
  RunningTotals out{.totals = history_.totals(), .sync_began = std::nullopt};
  if (const auto since = in_sync_since_.load(std::memory_order_relaxed); since != no_sync)
    out.sync_began = Clock::time_point{Clock::duration{since}};
  return out;
}

void Recorder::begin_sync() {
  sync_began_ = Clock::now();
  in_sync_since_.store(sync_began_.time_since_epoch().count(), std::memory_order_relaxed);
  if (sync_began_ >= next_look_) look_at_processor();
  bytes_sent_ = 0;
  bytes_received_ = 0;
  if (history_.supersteps() == 0) return;
  const auto traffic = exchange_.counters();
  if (traffic == last_traffic_) return;
  {
    const std::lock_guard lock(history_mutex_);
    history_.credit_last(traffic - last_traffic_);
  }
  last_traffic_ = traffic;
}

void Recorder::add_bytes(std::uint64_t sent, std::uint64_t received) {
  bytes_sent_ += sent;
  bytes_received_ += received;
}

void Recorder::end_waiting() {
  // The bytes first: so an empty superstep does the same with and without a trace.
  if (bytes_sent_ + bytes_received_ < bytes_that_take_time || !processor_) return;
  last_came_ = Clock::now();
  has_traced_ = true;
}

void Recorder::end_superstep() {
  SuperstepFigures figures = close_figures();
  figures.forecast = exchange_.forecast();
  const std::lock_guard lock(history_mutex_);
  history_.add(figures);
  in_sync_since_.store(no_sync, std::memory_order_relaxed);
  if (has_traced_ || last_end_ >= next_look_) trace_superstep();
}

void Recorder::end_job() {
  const SuperstepFigures figures = close_figures();
  const std::lock_guard lock(history_mutex_);
  history_.add_end(figures);
  in_sync_since_.store(no_sync, std::memory_order_relaxed);
  if (!processor_) return;
  read_network();
  trace::Figures traced = close_traced();
  traced.to.clear();  // what no sync has carried out goes nowhere
  history_.trace_end(traced);
}

/// Up to the last superstep.
transport::Duration Recorder::outside_of_calls() const {
  return std::chrono::duration_cast<transport::Duration>(history_.totals().compute);
}

void Recorder::look_at_processor() {
  const Clock::duration stretch = sync_began_ - last_end_;
  without_processor_ = processor_->enter(sync_began_, stretch, outside_of_calls() + stretch);
  next_look_ = processor_->next_read();
  if (without_processor_ > transport::Duration{0}) has_traced_ = true;
  read_network_thread();
  looks_at_network_ = true;
}

/// After close_figures().
void Recorder::trace_superstep() {
  if (last_end_ >= next_look_) {
    processor_->leave(last_end_, outside_of_calls());
    next_look_ = processor_->next_read();
    read_network_thread();
    looks_at_network_ = true;
  }
  const bool changed = std::exchange(looks_at_network_, false) && read_network();
  if (changed || has_traced_) history_.trace_last(close_traced());
}

/// Whether anything has changed.
bool Recorder::read_network() {
  const transport::NetworkMeasure measure = exchange_.network();
  const trace::Network network{measure.loss, measure.round_trip_time, measure.rate, measure.bandwidth};
  return std::exchange(network_, network) != network;
}

void Recorder::read_network_thread() {
  const transport::Duration now = exchange_.network_thread_time();
  network_thread_ += std::max(now - network_thread_read_, transport::Duration{0});
  network_thread_read_ = now;
  if (network_thread_ > transport::Duration{0}) has_traced_ = true;
}

trace::Figures Recorder::close_traced() {
  trace::Figures out{.without_processor = without_processor_,
                     .after_messages = last_came_ > sync_began_ ? last_end_ - last_came_ : Clock::duration{0},
                     .network_thread = std::exchange(network_thread_, transport::Duration{0}),
                     .network = network_,
                     .to = {}};
  for (std::size_t rank = 0; has_bytes_to_ && rank < bytes_to_.size(); ++rank) {
    if (bytes_to_[rank] == 0) continue;
    out.to.push_back({static_cast<Rank>(rank), bytes_to_[rank]});
    bytes_to_[rank] = 0;
  }
  has_bytes_to_ = has_traced_ = false;
  without_processor_ = transport::Duration{0};
  return out;
}

SuperstepFigures Recorder::close_figures() {
  const auto now = Clock::now();
  const auto traffic = exchange_.counters();
  const SuperstepFigures figures{sync_began_ - last_end_,
                                 now - sync_began_,
                                 std::max(bytes_sent_, bytes_received_),
                                 traffic - last_traffic_,
                                 {}};
  last_end_ = now;
  last_traffic_ = traffic;
  return figures;
}

}  // namespace lbsp::superstep
