#pragma once

#include "lbsp/world.hpp"
#include "tools/programs/fft2d/fft2d_arguments.hpp"
#include "tools/programs/outcome.hpp"

namespace lbsp::programs::fft2d {

/// All that fft2d does between its arguments and its output: makes or reads the grid, transforms it, verifies
/// if asked to, and writes the transform unless it was found wrong. All ranks call it together.
///
/// The time is that of the transform on the slowest rank; planning, input, output and verification apart. A
/// transform is verified if it is as close to rank 0's own, by FFTW's two-dimensional plan, as rounding
/// explains, and keeps the energy by Parseval's theorem. One that holds NaN or infinity never is.
///
/// Throws UsageError where a file is wrong, on rank 0 alone.
Outcome fft2d_job(World& world, const Fft2dArguments& arguments);

}  // namespace lbsp::programs::fft2d
