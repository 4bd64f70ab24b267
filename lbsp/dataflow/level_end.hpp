#pragma once

#include <cstddef>

#include "lbsp/trace/superstep_figures.hpp"
#include "transport/units.hpp"

namespace lbsp::dataflow {

/// When a level's tokens had been computed on all ranks; or those of them that had to run again, or that had run when
/// the world changed.
struct LevelEnd {
  std::size_t level = 0;
  std::size_t tokens = 0;
  std::size_t again = 0;  ///< of these, those that had run before
  Rank ranks = 0;         ///< of the world in which it was known
  Seconds at{0};          ///< since this rank began the run
};

}  // namespace lbsp::dataflow
