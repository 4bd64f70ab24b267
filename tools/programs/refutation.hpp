#pragma once

#include <string>
#include <string_view>

namespace lbsp::programs {

/// What is wrong with "the product", and what to do, where its relative error is not within the bound. It is NaN for an
/// answer that is not finite.
std::string refutation_of(std::string_view answer, double error, double bound);

/// The same of an answer that is not finite.
std::string not_finite(std::string_view answer);

}  // namespace lbsp::programs
