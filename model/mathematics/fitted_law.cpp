#include "model/mathematics/fitted_law.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace lbsp::model::mathematics {

std::optional<double> nine_of_ten_part(std::span<const double> errors, std::size_t constants) {
  constexpr double each_side = 0.95;
  if (errors.size() <= constants) return std::nullopt;
  const auto freedom = static_cast<double>(errors.size() - constants);
  double squares = 0;
  for (const double error : errors)
    squares += error * error;
  const double leverage = static_cast<double>(constants) / static_cast<double>(errors.size());
  return quantile(boost::math::students_t(freedom), each_side) *
         std::sqrt(squares / freedom * (1 + leverage));
}

}  // namespace lbsp::model::mathematics
