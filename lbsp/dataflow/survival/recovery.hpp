#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lbsp/dataflow/planning/stream_index.hpp"
#include "lbsp/dataflow/structure.hpp"

namespace lbsp::dataflow::survival {

/// Whether a level's streams are copied to a second worker, if every n-th level's are: level mod n = n-1. 0: never.
constexpr bool replicated(std::size_t level, std::size_t every) {
  return every != 0 && level % every == every - 1;
}

/// Who keeps the copy of what a worker wrote: the next one.
constexpr Worker keeper_of(Worker writer, Worker workers) {
  return (writer + 1) % workers;
}

/// The same where workers share hosts, by worker: the next one on another host, if there is any.
Worker keeper_of(Worker writer, Worker workers, std::span<const std::uint16_t> hosts);

/// The tokens that must run again after `index` has lost a worker (StreamIndex::drop_worker()), ascending: whatever
/// is on the way back from an input of a token that is not `done`, or from a result, to streams that somebody holds
/// or that are initial.
///
/// If all streams are kept and those of every n-th level replicated, these are at most n-1 times the tokens that the
/// lost worker ran in a level.
std::vector<TokenId> tokens_to_redo(const Structure& graph, const planning::StreamIndex& index,
                                    const std::vector<bool>& done);

}  // namespace lbsp::dataflow::survival
