#pragma once

#include "tools/profile/profile.hpp"

namespace lbsp::probe {

/// What one core of this host computes, each the median of several repetitions: a matrix product of order 512
/// (OpenBLAS on one thread), std::sort of 10^6 random doubles, a complex transform of 2^18 points (FFTW) and
/// five-point Jacobi sweeps over 1024 x 1024 points. Takes about a second.
profile::ComputeRates measure_compute_rates();

}  // namespace lbsp::probe
