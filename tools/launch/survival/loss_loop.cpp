#include "tools/launch/survival/loss_loop.hpp"

#include <algorithm>

namespace lbsp::launch::survival {

void LossLoop::world_ended(const job::Changed& next, const job::LeftWorld& left, Clock::time_point now) {
  if (got_further(left, now)) {
    losses_.clear();
    of_any_ = 0;
    of_nobody_ = 0;
  }
  for (const Rank rank : next.lost)
    ++losses_[rank];
  if (most_reached_ && !next.lost.empty()) ++of_any_;
  const bool of_nobody = next.lost.empty() && next.seated.empty();
  of_nobody_ = of_nobody ? of_nobody_ + 1 : 0;
  base_ = left.state.value_or(base_);
  began_ = now;
}

bool LossLoop::got_further(const job::LeftWorld& left, Clock::time_point now) {
  if (left.reached && (!most_reached_ || *left.reached > *most_reached_)) {
    most_reached_ = left.reached;
    return true;
  }
  if (left.keeps_all && !most_reached_ && (!began_ || now - *began_ > soon)) return true;
  const std::optional<std::uint64_t> before = most_supersteps_;
  if (left.keeps_all || base_ == furthest_) most_supersteps_ = std::max(left.supersteps, before.value_or(0));
  if (!left.keeps_all && left.state > furthest_) {
    furthest_ = *left.state;
    most_supersteps_.reset();
    return true;
  }
  return (left.keeps_all || base_ == furthest_) && before && left.supersteps > *before + 1;
}

int LossLoop::in_a_row(Rank rank) const {
  const auto found = losses_.find(rank);
  return found == losses_.end() ? 0 : found->second;
}

}  // namespace lbsp::launch::survival
