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
#include "lbsp/dataflow/graph.hpp"
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
};

/// What one level was planned to be, and was. The same on all ranks.
struct LevelRecord {
  std::vector<Placement> placements;  ///< each rank's in the order in which it ran them
  std::vector<Ticks> took;            ///< of each placement: nanoseconds that its rank measured
  std::size_t moves = 0;              ///< tokens that rebalancing moved
  Ticks predicted = 0;                ///< from the begin of the level to the end of its slowest rank
  std::uint64_t fetched_bytes = 0;    ///< that ranks sent each other before it

  /// The longest computation of a rank.
  Ticks longest_computation() const;
};

/// What run() did.
struct RunRecord {
  std::vector<LevelRecord> levels;
  Ticks planning = 0;  ///< nanoseconds that this rank planned

  /// Who ran each token.
  Mapping mapping(std::size_t tokens) const;
  std::uint64_t fetched_bytes() const;
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
/// A rank keeps a stream until no level reads it any more.
///
/// Cost: a superstep for each level, in which a stream goes once to each rank that lacks it, and one for the results.
/// Throws UsageError: the graph does not pass check(), or the ranks disagree; Error if a kernel throws, with the
/// token's name and what the kernel said.
RunRecord run(World& world, const Graph& graph, const RunOptions& options = {});

}  // namespace lbsp::dataflow
