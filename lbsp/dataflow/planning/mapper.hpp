#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lbsp/dataflow/placement.hpp"
#include "lbsp/dataflow/plan_options.hpp"
#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/planning/stream_index.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::planning {

/// Which worker runs which tokens of a level, in which order.
struct LevelPlan {
  std::vector<Placement> placements;  ///< each worker's in the order in which it runs them
  std::vector<Ticks> ends;            ///< of each worker, from the begin of the level
  std::size_t moves = 0;              ///< by rebalancing
  std::uint64_t evaluations = 0;      ///< finish times that were compared

  /// From the begin of the level to the end of its slowest worker.
  Ticks length() const;
};

/// The least traffic that a token can cause: the bytes of its produced inputs without those that the worker with most
/// of them holds. "Postfix" of equation 3 of the paper, read with the union of the holders.
std::uint64_t postfix_of(const Structure& graph, const StreamIndex& index, const Estimates& estimates,
                         TokenId token);

/// L-HEFT (localized heterogeneous earliest finish time) for one level, as a superstep: all of `ready` can run, the
/// workers are idle, and a worker fetches what a token lacks, one stream after the other, before it runs it.
///
/// Tokens are taken by their postfix, smaller first; then those that take longer in the mean; then by number. One
/// whose inputs are all with one worker goes there, and any other one to the worker that ends it first. Then, as long
/// as that shortens the level, the last token of the longest queue moves to the worker that ends it first. Ties go to
/// the lowest worker. The paper's algorithm has no fetches in its finish times; here they are.
///
/// With MapOptions::neighbours_together, tokens that need nothing from anybody and take equally long then change
/// places, so that each worker has consecutive ones; no worker ends later for it.
///
/// A stream that several tokens of a worker lack counts for each of them, though it is sent once.
///
/// Cost: tokens · (workers + inputs · holders), and a sort.
LevelPlan map_level(const Structure& graph, const StreamIndex& index, std::span<const TokenId> ready,
                    const Estimates& estimates, const MapOptions& options = {});

/// Where the streams are after a level: with who wrote them, and with who fetched them.
void note_level(StreamIndex& index, const Structure& graph, const LevelPlan& level);

}  // namespace lbsp::dataflow::planning
