#pragma once

#include <cstddef>

#include "transport/units.hpp"

namespace lbsp::dataflow {

/// When a level's tokens, or those of them that had to run, had been computed on all ranks.
struct LevelEnd {
  std::size_t level = 0;
  std::size_t tokens = 0;
  std::size_t again = 0;  ///< of these, those that had run before
  Rank ranks = 0;
  Seconds at{0};  ///< since this rank began the run
};

}  // namespace lbsp::dataflow
