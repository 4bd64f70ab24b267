#include "lbsp/dataflow/survival/recovery.hpp"

namespace lbsp::dataflow::survival {

using planning::StreamIndex;

Worker keeper_of(Worker writer, Worker workers, std::span<const std::uint16_t> hosts) {
  Worker keeper = keeper_of(writer, workers);
  if (hosts.size() < static_cast<std::size_t>(workers)) return keeper;
  while (keeper != writer && hosts[place_of(keeper)] == hosts[place_of(writer)])
    keeper = keeper_of(keeper, workers);
  return keeper == writer ? keeper_of(writer, workers) : keeper;
}

std::vector<TokenId> tokens_to_redo(const Structure& graph, const StreamIndex& index,
                                    const std::vector<bool>& done) {
  std::vector<bool> again(graph.tokens());
  std::vector<StreamId> needed;
  const auto need = [&](const std::vector<StreamId>& streams) {
    needed.insert(needed.end(), streams.begin(), streams.end());
  };
  for (TokenId token = 0; token < graph.tokens(); ++token)
    if (!done[token]) need(graph.token(token).inputs);
  for (StreamId stream = 0; stream < graph.streams(); ++stream)
    if (graph.stream(stream).result) needed.push_back(stream);
  while (!needed.empty()) {
    const StreamId stream = needed.back();
    needed.pop_back();
    const TokenId producer = graph.stream(stream).producer;
    if (producer == no_token || !index.holders(stream).empty() || !done[producer] || again[producer])
      continue;
    again[producer] = true;
    need(graph.token(producer).inputs);
  }
  std::vector<TokenId> found;
  for (TokenId token = 0; token < graph.tokens(); ++token)
    if (again[token]) found.push_back(token);
  return found;
}

}  // namespace lbsp::dataflow::survival
