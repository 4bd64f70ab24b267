#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/level_end.hpp"
#include "lbsp/dataflow/survival/held_streams.hpp"
#include "lbsp/dataflow/survival/holdings.hpp"
#include "lbsp/world.hpp"

namespace lbsp::dataflow::survival {

/// What a rank has of one run(), as it was when its last superstep was complete.
struct RunState {
  std::uint64_t digest = 0;  ///< of the graph
  HeldStreams streams;
  Holdings told;  ///< but for the streams, which are in `streams`
  std::vector<LevelEnd> ends;
  std::vector<bool> in_ends;  ///< by token, whether it is in one of them …
  std::uint64_t ended = 0;    ///< … and how many are
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  /// What it is to tell the others.
  Holdings holdings(const Graph& graph) const;
  /// The world has become what it is.
  void note(const World& world);
};

/// What a rank takes along into the next world (World::luggage()): its part of each run() of the program, by their
/// order in it. All calls of the program must make the same graphs with the same initial streams.
class Luggage {
 public:
  /// That of the next run() in this call of the program, with nothing in it if it was of another graph.
  RunState& next_run(const World& world, const Graph& graph);
  /// Spare streams are dropped until there are no more bytes of them: those of the first run first, and of a run those
  /// that have been spare for longest.
  void drop_spare(std::uint64_t most_bytes);
  /// Tokens of all runs that are known to have run.
  std::uint64_t ended() const;

 private:
  std::optional<std::uint32_t> epoch_;  ///< of the world that it is used in
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<RunState>> runs_;
};

}  // namespace lbsp::dataflow::survival
