#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "transport/units.hpp"

namespace lbsp::transport {

/// The least of the delays, or round trips, of the last one to two periods, but for those of datagrams that took a way
/// of their own: where routes are divided packet by packet, a few arrive long before others that were sent just before
/// them. Such a value is a new least by far, the next one is longer again, and the one after that is about as long, as
/// it would not be while a queue grows. Then it has counted for these two only.
class RecentLeast {
 public:
  explicit RecentLeast(Duration period) : period_(period) {}

  /// Of a datagram that went out at `sent`; in the order in which they did.
  void add(Duration value, Instant sent) {
    if (ends_period(sent)) {
      before_ = std::exchange(least_, none);
      since_ = sent;
      fall_.reset();
    }
    if (fall_) {
      judge_fall(value);
    } else if (value < this->value() - far) {
      fall_ = {.value = value, .least = least_};
    }
    least_ = std::min(least_, value);
  }

  /// Whether a period is over when a value comes of what was sent then.
  bool ends_period(Instant sent) const { return sent - since_ > period_; }

  /// Duration::max() if there has been none.
  Duration value() const { return std::min(least_, before_); }

 private:
  static constexpr Duration none = Duration::max();
  static constexpr Duration far = std::chrono::milliseconds{3};

  /// A new least by far.
  struct Fall {
    Duration value;
    Duration least;                     ///< before it, in this period
    std::optional<Duration> next = {};  ///< the value after it
  };

  void judge_fall(Duration value) {
    if (!fall_->next && value > fall_->value + far) {
      fall_->next = value;
      return;
    }
    if (fall_->next && std::chrono::abs(value - *fall_->next) < (*fall_->next - fall_->value) / 10)
      least_ = std::min(fall_->least, *fall_->next);
    fall_.reset();
  }

  Duration period_;
  Duration least_ = none;   ///< since since_ …
  Duration before_ = none;  ///< … and in the period before
  Instant since_{};
  std::optional<Fall> fall_;
};

}  // namespace lbsp::transport
