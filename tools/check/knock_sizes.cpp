#include "tools/check/knock_sizes.hpp"

namespace lbsp::check {
namespace {

constexpr int rounds_of_usual_sizes = 3;
constexpr int rounds_of_the_same = 2;

}  // namespace

std::vector<std::uint16_t> KnockSizes::begin_round() {
  std::vector<std::uint16_t> sizes;
  if (rounds_ == most_knock_rounds) return sizes;
  if (rounds_ >= rounds_of_usual_sizes && (rounds_ - rounds_of_usual_sizes) % rounds_of_the_same == 0)
    choose_between();
  ++rounds_;
  for (const std::uint16_t size : knock_sizes)
    if (!is_answered(usual(size))) sizes.push_back(usual(size));
  if (sizes.empty()) return sizes;
  for (const std::uint16_t size : more_)
    if (!is_answered(size)) sizes.push_back(size);
  return sizes;
}

/// Evenly, without either end.
void KnockSizes::choose_between() {
  for (const std::uint16_t size : knock_sizes)
    tried_.insert(usual(size));
  tried_.insert(more_.begin(), more_.end());
  more_.clear();
  if (answered_.empty()) return;
  const int low = *answered_.rbegin();
  const auto above = tried_.upper_bound(static_cast<std::uint16_t>(low));
  if (above == tried_.end()) return;
  const int gap = *above - low;
  const int count = std::min(between, gap - 1);
  for (int i = 1; i <= count; ++i)
    more_.push_back(static_cast<std::uint16_t>(low + gap * i / (count + 1)));
}

}  // namespace lbsp::check
