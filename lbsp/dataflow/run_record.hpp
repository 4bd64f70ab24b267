#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/dataflow/kernel.hpp"
#include "lbsp/dataflow/level_end.hpp"
#include "lbsp/dataflow/placement.hpp"
#include "lbsp/dataflow/run_change.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow {

/// What one level was planned to be, and was, or the part of it that ran again. The same on all ranks.
struct LevelRecord {
  std::vector<Placement> placements;  ///< each rank's in the order in which it ran them
  std::vector<Ticks> took;            ///< of each placement: nanoseconds that its rank measured
  std::size_t moves = 0;              ///< tokens that rebalancing moved
  Ticks predicted = 0;                ///< from the begin of the level to the end of its slowest rank
  std::uint64_t fetched_bytes = 0;    ///< that ranks sent each other before it
  std::size_t level = 0;
  std::size_t again = 0;           ///< tokens that had run before the world changed
  std::uint64_t copied_bytes = 0;  ///< that ranks sent each other to have them twice

  /// The longest computation of a rank.
  Ticks longest_computation() const;
};

/// What run() did.
struct RunRecord {
  std::vector<LevelRecord> levels;  ///< in this world
  Ticks planning = 0;               ///< nanoseconds that this rank planned, in this world
  Mapping before;  ///< who ran each token before it, if there was one; no_worker: a lost rank, or nobody
  std::vector<RunChange> changes;  ///< of the world since the run began
  std::vector<bool> again;         ///< by token, whether it ran more than once; empty: none did
  std::uint64_t runs_again = 0;    ///< how often tokens ran that had run before
  std::vector<LevelEnd> ends;      ///< of levels, since this rank's process began the run

  /// Who ran each token last; no_worker: a rank that was lost.
  Mapping mapping(std::size_t tokens) const;
  std::uint64_t fetched_bytes() const;
  std::uint64_t copied_bytes() const;
  std::size_t moves() const;

  /// A result of the graph, on the rank that was to get it. Throws UsageError if it is not there, or is not of whole
  /// values of this type.
  template <StreamValue T>
  std::span<const T> result(std::string_view stream) const {
    const StreamBytes& bytes = result_bytes(stream, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  const StreamBytes& result_bytes(std::string_view stream, std::size_t value_bytes = 1) const;

  std::map<std::string, StreamBytes, std::less<>> results;
};

}  // namespace lbsp::dataflow
