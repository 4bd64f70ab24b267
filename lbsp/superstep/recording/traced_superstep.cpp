#include "lbsp/superstep/recording/traced_superstep.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::superstep {

void TracedSuperstep::begin_trace(Clock::time_point now) {
  bytes_to_.assign(static_cast<std::size_t>(exchange_.size()), 0);
  processor_.emplace(now);
  network_thread_read_ = exchange_.network_thread_time();
  next_look_ = processor_->next_read();
}

void TracedSuperstep::look_before_sync(Clock::time_point now, Clock::duration stretch,
                                       transport::Duration program) {
  without_processor_ = processor_->enter(now, stretch, program);
  next_look_ = processor_->next_read();
  if (without_processor_ > transport::Duration{0}) has_any_ = true;
  read_network_thread();
  looks_at_network_ = true;
}

std::optional<trace::Figures> TracedSuperstep::end(Clock::time_point sync_began, Clock::time_point ended,
                                                   transport::Duration program) {
  if (is_time_to_look(ended)) {
    processor_->leave(ended, program);
    next_look_ = processor_->next_read();
    read_network_thread();
    looks_at_network_ = true;
  }
  const bool changed = std::exchange(looks_at_network_, false) && read_network();
  return changed || has_any_ ? std::optional(take(sync_began, ended)) : std::nullopt;
}

/// What no sync has carried out goes nowhere.
trace::Figures TracedSuperstep::end_job(Clock::time_point sync_began, Clock::time_point ended) {
  read_network();
  trace::Figures traced = take(sync_began, ended);
  traced.to.clear();
  return traced;
}

/// Whether anything has changed.
bool TracedSuperstep::read_network() {
  const transport::NetworkMeasure measure = exchange_.network();
  const trace::Network network{measure.loss, measure.round_trip_time, measure.rate, measure.bandwidth};
  return std::exchange(network_, network) != network;
}

void TracedSuperstep::read_network_thread() {
  const transport::Duration now = exchange_.network_thread_time();
  network_thread_ += std::max(now - network_thread_read_, transport::Duration{0});
  network_thread_read_ = now;
  if (network_thread_ > transport::Duration{0}) has_any_ = true;
}

trace::Figures TracedSuperstep::take(Clock::time_point sync_began, Clock::time_point ended) {
  trace::Figures out{.without_processor = without_processor_,
                     .after_messages = last_came_ > sync_began ? ended - last_came_ : Clock::duration{0},
                     .network_thread = std::exchange(network_thread_, transport::Duration{0}),
                     .network = network_,
                     .to = {}};
  for (std::size_t rank = 0; has_bytes_to_ && rank < bytes_to_.size(); ++rank) {
    if (bytes_to_[rank] == 0) continue;
    out.to.push_back({static_cast<Rank>(rank), bytes_to_[rank]});
    bytes_to_[rank] = 0;
  }
  has_bytes_to_ = has_any_ = false;
  without_processor_ = transport::Duration{0};
  return out;
}

}  // namespace lbsp::superstep
