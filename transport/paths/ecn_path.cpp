#include "transport/paths/ecn_path.hpp"

#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

/// Each of the first reports tells something, where the peer's host tells it.
constexpr int silent_reports = 16;
/// If all of so many are marked, it is not for a queue.
constexpr std::uint32_t first_datagrams = 64;
/// If so many have been sent, and nothing is heard of them for so long, it may be because they may be marked.
constexpr std::uint64_t enough_unanswered = 6;
constexpr Duration long_unanswered = std::chrono::seconds{2};

}  // namespace

void EcnPath::told(const std::optional<MarkReport>& marks, std::uint32_t arrived, Instant newest,
                   Instant now) {
  if (off_) return;
  if (!marks && !tells_) {
    if (arrived > 0 && ++silent_reports_ >= silent_reports) give_up();
    return;
  }
  tells_ = true;
  if (marks && marks->bare) return give_up();
  // A report that others have overtaken tells of fewer.
  const auto more =
      marks ? static_cast<std::uint16_t>(marks->marked - last_) % mark_report_window : std::uint32_t{0};
  const auto further = static_cast<std::int32_t>(arrived - arrived_);
  if (more >= mark_report_window / 2u || further <= 0) return;
  last_ = static_cast<std::uint16_t>((last_ + more) % mark_report_window);
  marked_ += more;
  arrived_ = arrived;
  const Instant since = std::exchange(newest_, newest);
  believed_ = believed_ || marked_ < arrived_;
  if (!believed_) {
    if (marked_ >= first_datagrams) give_up();
    return;
  }
  if (more > 0) marked_at_ = now;
  if (!waiting_) {
    waiting_ = Marks{.since = since};
    waiting_since_ = now;
  }
  waiting_->marked += more;
  waiting_->arrived += static_cast<std::uint32_t>(further);
}

void EcnPath::unanswered(std::uint64_t packets, Duration since_first) {
  if (packets >= enough_unanswered && since_first >= long_unanswered) give_up();
}

std::optional<Marks> EcnPath::take(Duration wait, Instant now) {
  if (!waiting_ || now - waiting_since_ < wait) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

void EcnPath::give_up() {
  off_ = true;
  waiting_.reset();
}

}  // namespace lbsp::transport
