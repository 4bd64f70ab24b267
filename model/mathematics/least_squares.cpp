#include "model/mathematics/least_squares.hpp"

#include <cmath>

namespace lbsp::model::mathematics {
namespace {

/// What of the second column is not in the direction of the first, against the whole of it; rounding leaves 1e-16.
constexpr double least_share_of_its_own = 1e-12;

}  // namespace

std::optional<Coefficients> least_squares(std::span<const Sample> samples) {
  // QR of the two columns: the normal equations would square the condition.
  double first_squares = 0;
  double second_squares = 0;
  double product = 0;
  for (const Sample& sample : samples) {
    first_squares += sample.first * sample.first;
    second_squares += sample.second * sample.second;
    product += sample.first * sample.second;
  }
  if (!(first_squares > 0) || !(second_squares > 0)) return std::nullopt;
  const double shared = product / first_squares;
  double own_squares = 0;
  double own_values = 0;
  for (const Sample& sample : samples) {
    const double own = sample.second - shared * sample.first;
    own_squares += own * own;
    own_values += own * sample.value;
  }
  if (!(own_squares > least_share_of_its_own * least_share_of_its_own * second_squares)) return std::nullopt;
  Coefficients out;
  out.second = own_values / own_squares;
  double first_values = 0;
  for (const Sample& sample : samples)
    first_values += sample.first * (sample.value - out.second * sample.second);
  out.first = first_values / first_squares;
  if (!std::isfinite(out.first) || !std::isfinite(out.second)) return std::nullopt;
  return out;
}

}  // namespace lbsp::model::mathematics
