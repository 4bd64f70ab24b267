#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace lbsp::model::mathematics {

/// The checks that all formulas share. Each throws std::invalid_argument: "what is wrong: what to do".

/// The number as short as six digits allow.
inline std::string shown(double value) {
  char text[32];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%g", value))};
}

/// p, the loss of one copy: in [0, 1).
inline void require_loss(double loss) {
  if (!(loss >= 0 && loss < 1)) {
    throw std::invalid_argument("a loss of " + shown(loss) +
                                ": give the fraction lost, at least 0 and less than 1");
  }
}

/// k, the copies of each packet: at least 1.
inline void require_copies(int copies) {
  if (copies < 1)
    throw std::invalid_argument(std::to_string(copies) +
                                " copies: every packet is sent at least once: give 1 or more");
}

/// A number of `what`, at least 1; real, as the log2 n packets of a superstep are.
inline void require_count(double count, const char* what) {
  if (!(count >= 1) || !std::isfinite(count))
    throw std::invalid_argument(shown(count) + " " + what + ": give a number of 1 or more");
}

/// A finite quantity that is more than 0, such as a work or a size.
inline void require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument(std::string(what) + " of " + shown(value) + ": give more than 0");
}

/// A finite quantity that is 0 or more, such as a delay.
inline void require_not_negative(double value, const char* what) {
  if (!(value >= 0) || !std::isfinite(value))
    throw std::invalid_argument(std::string(what) + " of " + shown(value) + ": give 0 or more");
}

}  // namespace lbsp::model::mathematics
