#pragma once

#include <functional>
#include <string>

#include "tools/profile/profile.hpp"

namespace lbsp::probe {

/// What one core of this host computes.
struct MeasuredRates {
  profile::ComputeRates rates;
  /// The longest that a calculation took by the clock, as a multiple of the processor time that it needs.
  double slowdown = 1;
};

/// Each the median of several repetitions: a matrix product of order 512
/// (OpenBLAS on one thread), std::sort of 10^6 random doubles, a complex transform of 2^18 points (FFTW) and
/// five-point Jacobi sweeps over 1024 x 1024 points. Takes about a second.
MeasuredRates measure_compute_rates();

/// The same, and says on standard error what is to be said of them.
profile::ComputeRates rates_of_this_host();

/// What is to be said of rates that were measured so; empty if nothing is.
std::string note_of_slowdown(double slowdown);

struct Timing {
  double seconds = 0;   ///< the median of several repetitions
  double slowdown = 1;  ///< that, over the processor time of the repetition that needed least
};

/// Of work(); prepare() is not counted.
Timing time_of(const std::function<void()>& prepare, const std::function<void()>& work);

}  // namespace lbsp::probe
