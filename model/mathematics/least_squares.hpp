#pragma once

#include <optional>
#include <span>

namespace lbsp::model::mathematics {

/// A measured value, and the two quantities that it is said to be a sum of.
struct Sample {
  double first = 0;
  double second = 0;
  double value = 0;
};

struct Coefficients {
  double first = 0;
  double second = 0;
};

/// The a and b for which Σ (a·first + b·second - value)² is least; for a straight line, `first` is 1. None if the
/// samples do not determine both: fewer than two, or `first` and `second` in one proportion in all of them.
std::optional<Coefficients> least_squares(std::span<const Sample> samples);

}  // namespace lbsp::model::mathematics
