#include "lbsp/job/member/told_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lbsp/job/messages.hpp"

namespace lbsp::job::member {
namespace {

/// Keeps a steps frame near a megabyte …
constexpr std::size_t records_per_frame = 4096;
/// … also where a trace has the bytes to so many other ranks: each is an eighth of a record.
std::size_t records_per_traced_frame(Rank ranks) {
  return std::max(std::size_t{1}, records_per_frame / (1 + static_cast<std::size_t>(ranks) / 8));
}

constexpr std::size_t events_per_frame = 16384;

}  // namespace

void ToldSteps::tell(const Tell& tell, const History& history, Rank ranks,
                     std::chrono::steady_clock::time_point began) {
  if (std::exchange(told_, true)) return;
  const auto& records = history.records();
  const std::size_t most = traces_ ? records_per_traced_frame(ranks) : records_per_frame;
  for (std::size_t first = 0; first < records.size(); first += most) {
    const auto end = std::min(first + most, records.size());
    const std::uint64_t each = history.supersteps_each();
    tell(FrameKind::steps,
         to_payload(Steps{.first = first * each,
                          .figures = records.copy(first, end),
                          .each = each,
                          .in_last = end == records.size() ? history.supersteps_in_last() : each,
                          .traced = traces_ ? history.traced(first, end) : std::vector<trace::Figures>{}}));
  }
  if (log_) tell_packets(tell, began);
}

/// A log's clock is the steady one.
void ToldSteps::tell_packets(const Tell& tell, std::chrono::steady_clock::time_point began) const {
  auto events = log_->events();
  for (auto& event : events)
    event.at -= began.time_since_epoch();
  for (std::size_t first = 0; first < events.size(); first += events_per_frame) {
    const auto end = std::min(first + events_per_frame, events.size());
    const auto at = [&](std::size_t place) { return events.begin() + static_cast<std::ptrdiff_t>(place); };
    tell(FrameKind::packets,
         to_payload(Packets{.dropped = first == 0 ? log_->dropped() : 0, .events = {at(first), at(end)}}));
  }
}

std::vector<transport::PathCounts> ToldSteps::path_counts() const {
  return log_ ? log_->counts() : std::vector<transport::PathCounts>{};
}

}  // namespace lbsp::job::member
