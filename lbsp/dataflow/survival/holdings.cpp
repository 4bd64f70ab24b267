#include "lbsp/dataflow/survival/holdings.hpp"

#include <algorithm>
#include <map>

#include "transport/error.hpp"

namespace lbsp::dataflow::survival {
namespace {

void check(const Holdings& one, std::size_t tokens, std::size_t streams) {
  const bool right = (one.tokens.empty() || one.tokens.size() == tokens) &&
                     one.streams.size() == one.lengths.size() &&
                     std::ranges::all_of(one.streams, [&](StreamId id) { return id < streams; });
  if (!right)
    throw Error("a rank tells of streams that this graph does not have: run the same program on all ranks");
}

}  // namespace

Holdings joint(const std::vector<Holdings>& of_ranks, std::size_t tokens, std::size_t streams) {
  Holdings all;
  all.tokens.resize(tokens);
  std::map<std::uint32_t, RunChange> changes;
  for (const Holdings& one : of_ranks) {
    check(one, tokens, streams);
    for (std::size_t token = 0; token < one.tokens.size(); ++token)
      all.tokens[token] |= one.tokens[token];
    all.runs_again = std::max(all.runs_again, one.runs_again);
    for (const RunChange& change : one.changes) {
      RunChange& known = changes.emplace(change.epoch, change).first->second;
      if (change.ranks > 0) known = change;  // a rank that has gone on since
    }
  }
  for (const auto& [epoch, change] : changes)
    all.changes.push_back(change);
  return all;
}

Mapping who_ran(const std::vector<Holdings>& of_ranks, std::size_t tokens) {
  Mapping workers(tokens, no_worker);
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
    for (std::size_t token = 0; token < of_ranks[rank].tokens.size(); ++token)
      if ((of_ranks[rank].tokens[token] & Holdings::here) != 0) workers[token] = static_cast<Worker>(rank);
  return workers;
}

}  // namespace lbsp::dataflow::survival
