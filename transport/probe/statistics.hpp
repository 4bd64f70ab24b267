#pragma once

#include <cstdint>
#include <vector>

namespace lbsp::transport::probe {

struct Interval {
  double low = 0;
  double high = 1;
};

/// Wilson's score interval for the probability of an event that was seen `events` times in `trials` trials,
/// at 95 % confidence (E. B. Wilson, 1927). Unlike the usual p ± 2s it is valid near 0 and 1 and for small
/// samples. Without trials it is 0 … 1.
///
/// `burst`: the mean length of a run of events, if they come together. Where each trial depends on the one before
/// it alone (E. N. Gilbert, 1960), n trials tell as much of the probability p as n / (2 burst (1 - p) - 1)
/// independent ones, of which the runs are 1 / (1 - p) long.
Interval wilson_interval(std::uint64_t events, std::uint64_t trials, double burst = 1);

/// The value below which a fraction of the sample lies, interpolated; 0 for an empty sample. Reorders the
/// sample.
double quantile(std::vector<double>& sample, double fraction);

}  // namespace lbsp::transport::probe
