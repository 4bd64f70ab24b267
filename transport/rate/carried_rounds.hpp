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
    lately_ = std::max(carried, kept_of_lately * lately_);
  }
  /// The most, of which each round forgets a little: ten in which less was sent do not hide it.
  double lately() const { return lately_; }
  /// 0 if there was none.
  double most() const { return std::ranges::max(carried_); }
  double mean() const {
    double sum = 0;
    for (const double carried : carried_)
      sum += carried;
    return sum / static_cast<double>(std::clamp<std::size_t>(rounds_, 1, carried_.size()));
  }

 private:
  static constexpr double kept_of_lately = 0.99;

  std::array<double, 10> carried_{};
  std::size_t rounds_ = 0;
  double lately_ = 0;
};

}  // namespace lbsp::transport
