#pragma once

#include <cmath>
#include <fmt/format.h>
#include <string>

namespace lbsp::command_line {

/// A number for people: three digits of it, and all before the point where these are more, as in 0.123, 12.3 and 1234.
/// An exponent is left to what is smaller than 0.0001 or larger than 1e15.
inline std::string short_number(double value) {
  const double size = std::abs(value);
  return size >= 999.5 && size < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// The same with a sign in any case.
inline std::string short_change(double value) {
  return (std::signbit(value) ? "" : "+") + short_number(value);
}

}  // namespace lbsp::command_line
