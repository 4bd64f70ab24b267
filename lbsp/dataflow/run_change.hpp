#pragma once

#include <cstdint>

namespace lbsp::dataflow {

/// A change of the world in the middle of a run.
struct RunChange {
  std::uint32_t epoch = 0;    ///< how often the world has changed since the job's start
  std::int32_t lost = 0;      ///< ranks
  std::int32_t replaced = 0;  ///< of these, those in whose places new processes have come
  std::int32_t joined = 0;    ///< ranks that are new
  std::int32_t ranks = 0;     ///< in the world that followed
  std::uint64_t level = 0;    ///< the lowest of which no token had run
  std::uint64_t to_redo = 0;  ///< tokens that had run, and must again

  friend bool operator==(const RunChange&, const RunChange&) = default;
};

}  // namespace lbsp::dataflow
