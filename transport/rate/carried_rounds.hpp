#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace lbsp::transport {

/// What a link has carried in its last ten rounds, in bytes per second.
class CarriedRounds {
 public:
  void add(double carried) {
    carried_[rounds_ % carried_.size()] = carried;
    ++rounds_;
  }
  /// 0 if there was none.
  double most() const { return std::ranges::max(carried_); }
  double mean() const {
    double sum = 0;
    for (const double carried : carried_)
      sum += carried;
    return sum / static_cast<double>(std::clamp<std::size_t>(rounds_, 1, carried_.size()));
  }

 private:
  std::array<double, 10> carried_{};
  std::size_t rounds_ = 0;
};

}  // namespace lbsp::transport
