#include <fmt/format.h>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "transport/error.hpp"

namespace lbsp::dataflow {
namespace {

/// "a", "b" and "c"; of many only the first.
std::string list_of(const std::vector<TokenId>& ids, std::span<const Graph::Token> tokens) {
  constexpr std::size_t most = 8;
  std::string list;
  for (std::size_t i = 0; i < ids.size() && i < most; ++i)
    list += fmt::format("{}\"{}\"", i == 0 ? "" : " -> ", tokens[ids[i]].name);
  return ids.size() > most ? list + fmt::format(" -> … ({} tokens)", ids.size())
                           : list + fmt::format(" -> \"{}\"", tokens[ids.front()].name);
}

}  // namespace

std::vector<std::string> Graph::check() const {
  check_tokens();
  check_functions();
  check_writers();
  check_sources();
  const Structure graph = structure();
  if (!graph.cycle().empty()) {
    throw UsageError(fmt::format("the tokens {} wait for each other: let one of them read another stream",
                                 list_of(graph.cycle(), tokens_)));
  }
  std::vector<std::string> odd;
  for (StreamId id = 0; id < streams_.size(); ++id) {
    if (graph.stream(id).consumers.empty() && !streams_[id].result)
      odd.push_back(fmt::format("nobody reads stream \"{}\", and it is no result", streams_[id].name));
  }
  return odd;
}

void Graph::check_tokens() const {
  std::map<std::string_view, TokenId> seen;
  for (TokenId id = 0; id < tokens_.size(); ++id) {
    const Token& token = tokens_[id];
    if (!seen.emplace(token.name, id).second)
      throw UsageError(
          fmt::format("two tokens are called \"{}\": give one of them another name", token.name));
    if (token.kernel >= kernels_.size()) {
      throw UsageError(
          fmt::format("token \"{}\" has kernel {} of {}: take one that kernel() of this graph returned",
                      token.name, token.kernel, kernels_.size()));
    }
  }
}

void Graph::check_functions() const {
  for (const Kernel& each : kernels_) {
    if (!each.compute)
      throw UsageError(
          fmt::format("kernel \"{}\" has an empty function: give kernel() one that computes", each.name));
  }
  for (const Stream& each : streams_) {
    if (each.initials > 1)
      throw UsageError(
          fmt::format("stream \"{}\" is an initial one twice: call initial() once for it", each.name));
    if (each.initials > 0 && !each.supply)
      throw UsageError(fmt::format(
          "initial stream \"{}\" has an empty function: give initial() one that returns its bytes",
          each.name));
  }
}

void Graph::check_writers() const {
  std::vector<TokenId> writer(streams_.size(), no_token);
  for (TokenId id = 0; id < tokens_.size(); ++id) {
    for (const StreamId stream : tokens_[id].writes) {
      if (streams_[stream].supply) {
        throw UsageError(
            fmt::format("stream \"{}\" is an initial one, and token \"{}\" writes it: write another one",
                        streams_[stream].name, tokens_[id].name));
      }
      if (writer[stream] != no_token) {
        throw UsageError(
            fmt::format("tokens \"{}\" and \"{}\" both write stream \"{}\": let one of them write another",
                        tokens_[writer[stream]].name, tokens_[id].name, streams_[stream].name));
      }
      writer[stream] = id;
    }
  }
}

void Graph::check_sources() const {
  std::vector<bool> there(streams_.size());
  for (StreamId id = 0; id < streams_.size(); ++id)
    there[id] = static_cast<bool>(streams_[id].supply);
  for (const Token& token : tokens_)
    for (const StreamId stream : token.writes)
      there[stream] = true;
  for (const Token& token : tokens_) {
    for (const StreamId stream : token.reads) {
      if (there[stream]) continue;
      throw UsageError(
          fmt::format("token \"{}\" reads stream \"{}\", which no token writes: let one write it, or name "
                      "it by initial()",
                      token.name, streams_[stream].name));
    }
  }
  for (StreamId id = 0; id < streams_.size(); ++id) {
    if (there[id] || !streams_[id].result) continue;
    throw UsageError(
        fmt::format("stream \"{}\" is a result, and no token writes it: let one write it, or take it out "
                    "of the results",
                    streams_[id].name));
  }
}

}  // namespace lbsp::dataflow
