#include "lbsp/plan/rate_range.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::plan {
namespace {

/// What a range keeps of its width, as a power, from one leg to the next.
constexpr double kept = 0.7;
/// So many times slower than the rate the network is at most …
constexpr double most_slower = 4;
/// … and than one that has been found, but not tried for long, as by a first flight. It may be faster, too.
constexpr double slower_than_found = 1.5;
constexpr double faster_than_found = 1.15;

}  // namespace

void RateRange::note(transport::BytesPerSecond noted, transport::RateSource source) {
  const double rate = noted.value;
  if (!(rate > 0)) return;
  const bool first = rate_ == 0;
  untested_ = source != transport::RateSource::told && (first || (untested_ && rate == rate_));
  rate_ = rate;
  most_ = first ? rate : std::max(rate, rate * std::pow(most_ / rate, kept));
  least_ = first ? rate : rate * std::pow(least_ / rate, kept);
  if (!untested_) {
    least_ = std::clamp(least_, rate / most_slower, rate);
  } else if (source == transport::RateSource::guessed) {
    least_ = rate / most_slower;
  } else {
    least_ = std::clamp(least_, rate / most_slower, rate / slower_than_found);
    most_ = std::max(most_, rate * faster_than_found);
  }
}

RateRange::Factors RateRange::factors() const {
  if (rate_ == 0) return {};
  return {rate_ / std::sqrt(least_ * most_), rate_ / most_, rate_ / least_};
}

}  // namespace lbsp::plan
