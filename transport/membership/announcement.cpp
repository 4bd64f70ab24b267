#include "transport/membership/announcement.hpp"

#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr PartOfRoundTrip repeat_interval{.divisor = 4, .least = 2ms, .most = 50ms};
/// So that one lost datagram costs little.
constexpr int copies_of_news = 2;

}  // namespace

Announcement::Announcement(const MemberSet& listeners, Duration round_trip)
    : listeners_(listeners),
      interval_(repeat_interval.of(round_trip)),
      answered_(static_cast<std::size_t>(listeners.bound())) {}

void Announcement::news(Instant now) {
  copies_ = copies_of_news;
  next_round_ = now;
}

void Announcement::silence() {
  next_round_ = never;
  to_tell_ = {};
}

void Announcement::answer(Slot to, Instant now) {
  auto& answered = answered_[static_cast<std::size_t>(to)];
  if (answered && now - *answered < interval_) return;
  answered = now;
  to_tell_.add(to);
}

bool Announcement::begin_round(Instant now) {
  if (next_round_ > now) return false;
  --copies_;
  if (copies_ > 0) {
    next_round_ = now + interval_ / 4;
  } else {
    next_round_ = last_ ? never : now + interval_;
  }
  to_tell_ = listeners_;
  return true;
}

std::optional<Slot> Announcement::next() {
  if (to_tell_.empty()) return std::nullopt;
  const Slot to = to_tell_.lowest();
  to_tell_.remove(to);
  return to;
}

}  // namespace lbsp::transport
