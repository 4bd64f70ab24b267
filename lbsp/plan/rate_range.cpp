#include "lbsp/plan/rate_range.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::plan {
namespace {

/// What a range keeps of its width, as a power, from one leg to the next.
constexpr double kept = 0.7;
/// So many times slower than the rate the network is at most, as where a rate to be found begins with what few carry.
constexpr double most_slower = 4;

}  // namespace

void RateRange::note(transport::BytesPerSecond noted, bool found) {
  const double rate = noted.value;
  if (!(rate > 0)) return;
  const bool first = rate_ == 0;
  untested_ = found && (first || (untested_ && rate == rate_));
  rate_ = rate;
  most_ = first ? rate : std::max(rate, rate * std::pow(most_ / rate, kept));
  least_ = first ? rate : rate * std::pow(least_ / rate, kept);
  least_ = std::clamp(least_, rate / most_slower, untested_ ? rate / most_slower : rate);
}

RateRange::Factors RateRange::factors() const {
  if (rate_ == 0) return {};
  return {rate_ / std::sqrt(least_ * most_), rate_ / most_, rate_ / least_};
}

}  // namespace lbsp::plan
