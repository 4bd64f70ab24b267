#pragma once

#include <algorithm>
#include <chrono>

#include "transport/units.hpp"

namespace lbsp::transport {

/// The most of the values of the last ten to twenty seconds.
class RecentMost {
 public:
  void add(double value, Instant now) {
    if (now - since_ > period) {
      before_ = latest_;
      latest_ = 0;
      since_ = now;
    }
    latest_ = std::max(latest_, value);
  }
  /// 0 if there were none.
  double value() const { return std::max(latest_, before_); }

 private:
  static constexpr Duration period = std::chrono::seconds{10};

  double latest_ = 0;  ///< since since_ …
  double before_ = 0;  ///< … and in the period before
  Instant since_{};
};

}  // namespace lbsp::transport
