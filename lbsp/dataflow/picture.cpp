#include "lbsp/dataflow/picture.hpp"

#include <fmt/format.h>
#include <iterator>

namespace lbsp::dataflow {
namespace {

/// Golden-ratio steps around the circle of hues, so that neighbours differ however many ranks there are.
double hue_of(Worker worker) {
  const double turned = 0.6180339887 * worker;
  return turned - static_cast<double>(static_cast<int>(turned));
}

/// Its colour, its frame, and who ran it.
std::string attributes(Worker worker, bool again) {
  const std::string colour = worker == no_worker ? "white" : fmt::format("{:.3f} 0.35 0.95", hue_of(worker));
  const std::string who = worker == no_worker ? "a rank that was lost" : fmt::format("rank {}", worker);
  return fmt::format("fillcolor=\"{}\", {}tooltip=\"{}{}\"", colour, again ? "penwidth=3, " : "", who,
                     again ? ", not for the first time" : "");
}

std::string in_quotes(const std::string& name) {
  std::string text = "\"";
  for (const char each : name) {
    if (each == '"' || each == '\\') text += '\\';
    text += each;
  }
  return text + '"';
}

}  // namespace

std::string picture(const Graph& graph, const Mapping& mapping, const std::vector<bool>& again) {
  const Structure structure = graph.structure();
  std::string text = "digraph dataflow {\n  node [shape=box, style=filled];\n";
  auto out = std::back_inserter(text);
  for (std::size_t level = 0; level < structure.levels(); ++level) {
    fmt::format_to(out, "  {{ rank=same; // level {}\n", level);
    for (const TokenId token : structure.level(level)) {
      const bool ran_again = token < again.size() && again[token];
      fmt::format_to(out, "    {} [{}];\n", in_quotes(graph.tokens()[token].name),
                     attributes(mapping[token], ran_again));
    }
    text += "  }\n";
  }
  for (StreamId stream = 0; stream < structure.streams(); ++stream) {
    if (!structure.produced(stream)) continue;
    const TokenId from = structure.stream(stream).producer;
    for (const TokenId to : structure.stream(stream).consumers) {
      fmt::format_to(out, "  {} -> {} [style={}, tooltip={}];\n", in_quotes(graph.tokens()[from].name),
                     in_quotes(graph.tokens()[to].name), mapping[from] == mapping[to] ? "dotted" : "bold",
                     in_quotes(graph.streams()[stream].name));
    }
  }
  return text + "}\n";
}

}  // namespace lbsp::dataflow
