#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/collectives/choice.hpp"
#include "lbsp/dataflow/copy_plan.hpp"
#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/holdings.hpp"
#include "lbsp/dataflow/level_end.hpp"
#include "lbsp/dataflow/mapper.hpp"
#include "lbsp/dataflow/prediction.hpp"
#include "lbsp/dataflow/ticks.hpp"
#include "lbsp/world.hpp"

namespace lbsp::dataflow {

struct RunOptions {
  MapOptions mapping{};
  PredictionOptions prediction{};
  /// What is taken of the network until it is measured, where ranks exchange datagrams …
  CollectiveNetwork network{};
  /// … and where they do not: through memory a stream costs 1 µs and 1 ns a byte.
  Transfer memory{1'000, 1'000'000};
  Rank results_on = 0;  ///< who gets the results
  /// Called on every rank when it knows that a level has ended; none: nobody wants to know.
  std::function<void(const LevelEnd&)> when_level_ends = {};

  // Where the job goes on when ranks are lost (`lbsp run --on-failure shrink` or `respawn`):

  /// As replicate_every: as often as is best by what copies and levels are expected to take, and by hosts that fail as
  /// often as `lbsp run --mtbf` says; and before a rank writes half of most_spare_bytes.
  static constexpr std::size_t planned = CopyPlan::planned;
  /// What every so many levels write goes to a second rank too: levels n-1, 2n-1, … of n. 0: none does.
  std::size_t replicate_every = 0;
  /// New ranks may join (`lbsp join`). The program must save no states (lbsp/steps.hpp).
  bool grows = false;
  /// A rank keeps streams that no level reads any more, for when a rank is lost, as long as they are no more bytes.
  std::uint64_t most_spare_bytes = std::uint64_t{1} << 30;
};

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

  /// A result of the graph, on the rank that was to get it. Throws UsageError if it is not there.
  template <StreamValue T>
  std::span<const T> result(std::string_view stream) const {
    const StreamBytes& bytes = result_bytes(stream);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  const StreamBytes& result_bytes(std::string_view stream) const;

  std::map<std::string, StreamBytes, std::less<>> results;
};

/// Runs a graph. All ranks call it together with the same graph and options, and each computes some of the tokens.
/// Which ones, every rank works out for itself, alike, by L-HEFT (mapper.hpp). What its tokens took and wrote, and what
/// its network is like, each rank tells the others with the streams that they need. So the plan of a level knows the
/// times of the levels before the last one. What a stream costs is what the superstep is expected to take longer for it
/// (collectives/choice.hpp), with the losses and delays that were measured.
///
/// A rank keeps a stream until no level reads it any more; longer, where the job goes on when ranks are lost.
///
/// There the run goes on, too, when lbsp::run calls the program again in another world. Each rank has kept what it had
/// (World::luggage()), and tells the others so in a superstep more. Tokens that wrote streams which lost ranks alone
/// had, and which are needed, run again, the lowest level first; then the run goes on where it was. A new process is
/// one more rank that holds nothing. Every call of the program must make the same graph, with the same initial streams.
/// In a step of a program that saves states (lbsp/steps.hpp), the run begins again instead, as the step does.
///
/// Cost: a superstep for each level, in which a stream goes once to each rank that lacks it, and one for the results.
/// Copies go in supersteps more, while tokens compute, where that takes longer than such a superstep.
/// Throws UsageError: the graph does not pass check(), or the ranks disagree; Error if a kernel throws, with the
/// token's name and what the kernel said.
RunRecord run(World& world, const Graph& graph, const RunOptions& options = {});

}  // namespace lbsp::dataflow
