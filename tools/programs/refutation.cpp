#include "tools/programs/refutation.hpp"

#include <cmath>
#include <fmt/format.h>

namespace lbsp::programs {

std::string not_finite(std::string_view answer) {
  return fmt::format(
      "{} has values that are not finite, or whose squares are not, and cannot be verified: look for NaN, infinity and "
      "very large values in the input, or give --no-verify",
      answer);
}

std::string refutation_of(std::string_view answer, double error, double bound) {
  if (!std::isfinite(error)) return not_finite(answer);
  return fmt::format(
      "{} is {:.2g} away from the single-process one where {:.2g} is allowed: report it as a bug with the command, or "
      "give --no-verify",
      answer, error, bound);
}

}  // namespace lbsp::programs
