#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/local_product.hpp"
#include "algorithms/matmul_plan.hpp"
#include "lbsp/steps.hpp"

namespace lbsp::programs::matmul {

/// Unless asked, products of at most this many multiplications are verified: those of 4096 × 4096 matrices,
/// which take one core a few seconds.
inline constexpr double verified_by_default = 4096. * 4096. * 4096.;

/// What matmul is asked to do.
struct MatmulArguments {
  std::size_t size = 1024;  ///< N of two random N × N matrices; not used with files
  std::uint64_t seed = 1;   ///< of those matrices
  bool single_precision = false;
  algorithms::ProductLimits limits;
  std::string a;  ///< .npy files to multiply; both or neither
  std::string b;
  std::string out;             ///< .npy file for the product, if any
  Keep keep;                   ///< how often the ranks' states are kept, if they are
  std::optional<bool> verify;  ///< unless given, by the size

  bool from_files() const { return !a.empty(); }
  bool verifies(const algorithms::ProductShape& shape) const {
    return verify.value_or(shape.flops() / 2 <= verified_by_default);
  }
};

/// Returns the text to print instead of running, if that is asked for. Throws UsageError.
std::optional<std::string> parse_matmul(int count, const char* const* words, MatmulArguments& parsed);

}  // namespace lbsp::programs::matmul
