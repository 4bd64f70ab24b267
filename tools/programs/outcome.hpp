#pragma once

#include <string>

namespace lbsp::programs {

/// What rank 0 of a ready program prints at the end; empty on the other ranks.
struct Outcome {
  std::string summary;     ///< one line: sizes, time, error
  std::string refutation;  ///< if the answer failed its verification: what is wrong and what to do
};

}  // namespace lbsp::programs
