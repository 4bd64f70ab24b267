#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lbsp/steps.hpp"

namespace lbsp::programs::fft2d {

/// Unless asked, transforms of at most this many points are verified, which takes one core about a second.
inline constexpr std::size_t fft2d_verified_by_default = std::size_t{4096} * 4096;

/// What fft2d is asked to do.
struct Fft2dArguments {
  std::size_t rows = 1024;  ///< of a random grid; not used with a file
  std::size_t columns = 1024;
  std::uint64_t seed = 1;  ///< of that grid
  bool inverse = false;
  bool transposed = false;  ///< leave the result transposed
  bool single_precision = false;
  std::string in;              ///< .npy file to transform, if any
  std::string out;             ///< .npy file for the transform, if any
  Keep keep;                   ///< how often the ranks' states are kept, if they are
  std::optional<bool> verify;  ///< unless given, by the size

  bool verifies(std::size_t points) const { return verify.value_or(points <= fft2d_verified_by_default); }
};

/// Returns the text to print instead of running, if that is asked for. Throws UsageError.
std::optional<std::string> parse_fft2d(int count, const char* const* words, Fft2dArguments& parsed);

}  // namespace lbsp::programs::fft2d
