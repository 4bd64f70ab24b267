#include "transport/messages/loss_detection.hpp"

#include <algorithm>

#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

constexpr Instant any_time = Instant::max();
constexpr Instant no_time = Instant::min();

/// A receiver reports a gap when its window is over, by its own clock and round trip.
Duration known_hold(const Echo& echo, Duration reordering_window) {
  return std::chrono::microseconds{echo.hold_microseconds} + reordering_window / protocol::hold_slack_divisor;
}

/// When everything was sent that must have arrived by now, if it arrives at all, because `newest` has.
Instant overtaken_before(const StatusHeader& report, const PathEstimate& path,
                         const std::optional<PathEstimate::Sent>& newest) {
  const Duration window = std::max(path.reordering_window(), report.reordering);
  const Duration hold = known_hold(report.echo, window);
  if (report.reordering == Duration::zero()) return hold >= window ? any_time : no_time;
  const bool known = newest && newest->packet_number + 1 == report.echo.packets;
  return known ? newest->at + hold - window : no_time;
}

}  // namespace

SegmentRange told_of(const StatusEntry& entry, const OutgoingMessage& message) {
  const std::uint32_t all = message.segment_count();
  const auto end =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(all, std::uint64_t{entry.first} + entry.bits));
  return {entry.prefix_complete ? 0 : entry.first, entry.rest_missing ? all : end};
}

LossDetection::LossDetection(const StatusHeader& report, const PathEstimate& path,
                             const std::optional<PathEstimate::Sent>& newest, Duration reports_reordering,
                             Instant now)
    : echoed_packets_(report.echo.packets),
      reorders_(report.reordering > Duration::zero()),
      overtaken_before_(overtaken_before(report, path, newest)),
      sent_before_(now - path.loss_delay() - report.reordering - reports_reordering) {}

bool LossDetection::is_lost(const OutgoingMessage::Segment& segment) const {
  if (segment.acknowledged || segment.repair_queued || segment.transmissions == 0) return false;
  const std::uint64_t seen = segment.last_packet + 1;  // on the echo's scale
  if (!reorders_ && seen + protocol::packet_threshold <= echoed_packets_) return true;
  if (seen < echoed_packets_ && segment.last_sent <= overtaken_before_) return true;
  return segment.last_sent <= sent_before_;
}

void LossDetection::find_lost(const OutgoingMessage& message, std::uint32_t from, std::uint32_t to,
                              std::vector<std::uint32_t>& lost) const {
  for (std::uint32_t i = std::max(from, message.first_unacknowledged()); i < to; ++i) {
    if (is_lost(message.segment(i))) lost.push_back(i);
  }
}

void LossDetection::apply(const StatusEntry& entry, OutgoingMessage& message,
                          std::vector<std::uint32_t>& lost) const {
  if (entry.complete) {
    message.acknowledge_all();
    return;
  }
  const std::uint32_t sent = message.first_never_sent();
  // An authentic peer can still be wrong: it cannot have what was never sent.
  const std::uint32_t first = std::min(entry.first, sent);
  const std::uint32_t end = std::min<std::uint32_t>(sent, first + entry.bits);
  if (entry.prefix_complete) {
    for (std::uint32_t i = message.first_unacknowledged(); i < first; ++i)
      message.acknowledge(i);
  }
  for (std::uint32_t i = first; i < end; ++i) {
    if (entry.has(static_cast<std::uint16_t>(i - first))) {
      message.acknowledge(i);
    } else if (is_lost(message.segment(i))) {
      lost.push_back(i);
    }
  }
  if (entry.rest_missing) find_lost(message, end, sent, lost);
}

void LossDetection::apply_absence(OutgoingMessage& message, std::vector<std::uint32_t>& lost) const {
  find_lost(message, 0, message.first_never_sent(), lost);
}

}  // namespace lbsp::transport
