#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/grid_blocks.hpp"
#include "lbsp/steps.hpp"
#include "tools/programs/jacobi/jacobi_boundary.hpp"

namespace lbsp::programs::jacobi {

/// Unless asked, solutions of at most this many points times sweeps are verified, which takes one core a few
/// seconds.
inline constexpr double jacobi_verified_by_default = 2e9;

/// What jacobi is asked to do.
struct JacobiArguments {
  std::size_t rows = 257;  ///< of the grid, the boundary included; not used with a file
  std::size_t columns = 257;
  Boundary boundary;                ///< top=1 and the others 0, unless given
  std::string initial;              ///< .npy file with the whole grid, if any
  std::optional<double> tolerance;  ///< 1e-6, unless it or the number of sweeps is given
  std::optional<std::uint64_t> iterations;
  std::uint64_t check_every = 10;
  std::size_t halo = 1;
  algorithms::BlockShape shape = algorithms::BlockShape::rows;
  std::string out;             ///< .npy file for the solution, if any
  Keep keep;                   ///< how often the ranks' states are kept, if they are
  std::optional<bool> verify;  ///< unless given, by the work

  /// 0: none, all the sweeps are done.
  double tolerance_or_none() const { return tolerance.value_or(iterations ? 0 : 1e-6); }
  bool verifies(double points, double sweeps) const {
    return verify.value_or(points * sweeps <= jacobi_verified_by_default);
  }
};

/// Returns the text to print instead of running, if that is asked for. Throws UsageError.
std::optional<std::string> parse_jacobi(int count, const char* const* words, JacobiArguments& parsed);

}  // namespace lbsp::programs::jacobi
