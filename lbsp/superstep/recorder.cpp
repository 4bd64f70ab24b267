#include "lbsp/superstep/recorder.hpp"

#include <algorithm>

namespace lbsp::superstep {

void Recorder::begin_sync() {
  sync_began_ = Clock::now();
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

void Recorder::end_superstep() {
  SuperstepFigures figures = close_figures();
  figures.forecast = exchange_.forecast();
  const std::lock_guard lock(history_mutex_);
  history_.add(figures);
}

void Recorder::end_job() {
  const SuperstepFigures figures = close_figures();
  const std::lock_guard lock(history_mutex_);
  history_.add_end(figures);
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
