#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace lbsp::model::mathematics {

/// How far a law that was fitted to some measurements is from the next one: nine of ten are between 1 - x and 1 + x
/// times what it says, if its relative errors are normal and alike everywhere, and the next one is within the range of
/// the others. `errors` are those at the measurements it was fitted to, and `constants` how many constants were fitted.
/// By Student's distribution of as many degrees of freedom as there are more errors than constants, with the mean
/// leverage; none if there are not more.
std::optional<double> nine_of_ten_part(std::span<const double> errors, std::size_t constants);

}  // namespace lbsp::model::mathematics
