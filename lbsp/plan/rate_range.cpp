#include "lbsp/plan/rate_range.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::plan {
namespace {

using transport::RateSource;

/// What a range keeps of its width, as a power, from one leg to the next.
constexpr double kept = 0.7;
/// So many times slower than the rate the network is at most …
constexpr double most_slower = 4;
/// … and than one that has been found, but not tried for long, as by a first flight. It may be faster, too.
constexpr double slower_than_found = 1.5;
constexpr double faster_than_found = 1.15;
/// A rate that rises by so much from leg to leg goes on with it in the next one.
constexpr double several_steps = 1.3;
/// By how much one may miss that few datagrams have shown.
constexpr double inexact = 1.15;
/// A rate that is carried becomes e times as high in as many bytes as at a quarter more for 256 datagrams.
constexpr double grows_in = 256 * 1472 / 0.223;

}  // namespace

void RateRange::note(transport::BytesPerSecond noted, RateSource source) {
  const double rate = noted.value;
  if (!(rate > 0)) return;
  const bool first = rate_ == 0;
  const double before = first ? rate : rate_;
  const bool to_be_found = source == RateSource::guessed || source == RateSource::found;
  first_leg_ = first && to_be_found;
  rises_ = to_be_found && (first || (rises_ && rate >= rate_));
  untested_ = to_be_found && (first || (untested_ && rate == rate_));
  rate_ = rate;
  most_ = first ? rate : std::max(rate, rate * std::pow(most_ / rate, kept));
  least_ = first ? rate : rate * std::pow(least_ / rate, kept);
  rising_ = 1;
  if (!untested_) {
    least_ = std::clamp(least_, rate / most_slower, rate);
    if (rises_ && rate > several_steps * before) {
      rising_ = std::min(rate / before, most_slower);
      least_ = std::max(least_, before);
    }
    most_ = std::max(most_, rate * rising_);
  } else if (source == RateSource::guessed) {
    least_ = rate / most_slower;
  } else {
    least_ = std::clamp(least_, rate / most_slower, rate / slower_than_found);
    most_ = std::max(most_, rate * faster_than_found);
  }
  if (source == RateSource::shown) {
    least_ = std::min(least_, rate / inexact);
    most_ = std::max(most_, rate * inexact);
  }
}

RateRange::Factors RateRange::factors(double seconds) const {
  if (rate_ == 0) return {};
  const double most = first_leg_ && seconds > 0 ? std::max(most_, rate_ * grown_in(seconds)) : most_;
  const double usual = rising_ > 1 ? rate_ * std::sqrt(rising_) : std::sqrt(least_ * most);
  return {rate_ / usual, rate_ / most, rate_ / least_};
}

/// So many times the rate a leg goes at in the mean, if all that it sends is carried.
double RateRange::grown_in(double seconds) const {
  const double growing = grows_in / rate_;
  return seconds / (growing * std::log1p(seconds / growing));
}

}  // namespace lbsp::plan
