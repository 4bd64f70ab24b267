#include "lbsp/dataflow/structure.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::dataflow {

Structure::Structure(std::vector<std::vector<StreamId>> inputs, std::vector<std::vector<StreamId>> outputs,
                     std::size_t streams)
    : tokens_(inputs.size()), streams_(streams) {
  for (TokenId id = 0; id < tokens_.size(); ++id) {
    Token& token = tokens_[id];
    token.inputs = std::move(inputs[id]);
    std::ranges::sort(token.inputs);
    token.inputs.erase(std::unique(token.inputs.begin(), token.inputs.end()), token.inputs.end());
    token.outputs = std::move(outputs[id]);
    for (const StreamId input : token.inputs)
      streams_[input].consumers.push_back(id);
    for (const StreamId output : token.outputs)
      streams_[output].producer = id;
  }
  find_levels();
}

void Structure::find_levels() {
  // How many of its inputs are still to come, and who is ready.
  std::vector<std::size_t> waits_for(tokens_.size());
  std::vector<TokenId> ready;
  for (TokenId id = 0; id < tokens_.size(); ++id) {
    waits_for[id] = static_cast<std::size_t>(
        std::ranges::count_if(tokens_[id].inputs, [&](StreamId input) { return produced(input); }));
    if (waits_for[id] == 0) ready.push_back(id);
  }
  std::size_t found = 0;
  for (; !ready.empty(); ++found) {
    const Token& token = tokens_[ready.back()];
    ready.pop_back();
    for (const StreamId output : token.outputs) {
      for (const TokenId consumer : streams_[output].consumers) {
        tokens_[consumer].level = std::max(tokens_[consumer].level, token.level + 1);
        if (--waits_for[consumer] == 0) ready.push_back(consumer);
      }
    }
  }
  if (found < tokens_.size()) return find_cycle(waits_for);
  for (TokenId id = 0; id < tokens_.size(); ++id) {
    const auto level = static_cast<std::size_t>(tokens_[id].level);
    if (level >= levels_.size()) levels_.resize(level + 1);
    levels_[level].push_back(id);
  }
}

void Structure::find_cycle(std::span<const std::size_t> waits_for) {
  // Who still waits reads from one that still waits: going back from anyone leads into a cycle.
  const auto still_waits = [&](StreamId input) {
    return produced(input) && waits_for[streams_[input].producer] != 0;
  };
  std::vector<bool> seen(tokens_.size());
  auto at = static_cast<TokenId>(std::ranges::find_if(waits_for, [](auto count) { return count != 0; }) -
                                 waits_for.begin());
  std::vector<TokenId> way;
  while (!seen[at]) {
    seen[at] = true;
    way.push_back(at);
    at = streams_[*std::ranges::find_if(tokens_[at].inputs, still_waits)].producer;
  }
  cycle_.assign(std::ranges::find(way, at), way.end());
  std::ranges::reverse(cycle_);
}

}  // namespace lbsp::dataflow
