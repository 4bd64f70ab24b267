#include "model/paper/optimum.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"
#include "tools/model_command/network_options.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

using model::paper::Choice;

constexpr const char* optimum_footer =
    R"(With --nodes it finds the best copies, with --copies the best nodes, with neither the best pair.

Example: lbsp model optimum --packets-per-superstep n2 --loss 10% --work 10h --packet-time 80us --delay 70ms --nodes 1024)";

struct OptimumOptions {
  NetworkOptions network;
  std::optional<int> copies;
  std::optional<double> nodes;
  std::optional<double> most_nodes;
  std::string json;
};

void add_options(command_line::CommandLine& line, OptimumOptions& options) {
  add_network_options(line, options.network);
  add(line, "--nodes", options.nodes, read_whole, "N", "find the best number of copies for N nodes");
  add(line, "--copies", options.copies, read_copies, "K", "find the best number of nodes for K copies");
  add(line, "--max-nodes", options.most_nodes, read_whole, "M",
      "the most nodes to consider; default 16777216, and no limit with --concept");
  add_json(line, options.json);
}

model::paper::Optimum find(const OptimumOptions& options) {
  const model::paper::Question question = question_of(options.network);
  if (options.nodes && options.copies)
    throw UsageError("--nodes and --copies leave nothing to find: leave one out, or use lbsp model speedup");
  if (options.nodes && options.most_nodes)
    throw UsageError("--nodes and --max-nodes exclude each other: leave one out");
  if (options.nodes) return best_copies(question, *options.nodes);
  if (options.copies) return best_nodes(question, *options.copies, options.most_nodes);
  return best_copies_and_nodes(question, options.most_nodes);
}

Json json_of(const Choice& choice) {
  return {{"copies", choice.copies}, {"nodes", count(choice.nodes)}, {"speedup", number(choice.speedup)}};
}

Json json_of(const std::vector<Choice>& choices) {
  Json out = Json::array();
  for (const Choice& choice : choices)
    out.push_back(json_of(choice));
  return out;
}

std::string line(const char* what, const Choice& choice) {
  return fmt::format("{:<11} {:>7} {:>12.15g} {:>12.6g} {:>11.4g}\n", what, choice.copies, choice.nodes,
                     choice.speedup, choice.efficiency());
}

std::string text_of(const model::paper::Optimum& found) {
  std::string text =
      fmt::format("{:<11} {:>7} {:>12} {:>12} {:>11}\n", "", "copies", "nodes", "speedup", "efficiency");
  text += line("best", found.best);
  for (const Choice& choice : found.neighbours)
    text += line("beside", choice);
  for (const Choice& choice : found.runners_up)
    text += line("runner-up", choice);
  text += line("1 % from", found.flat_from);
  text += line("1 % to", found.flat_to);
  if (found.at_limit) text += "the speedup still rises at the largest number of nodes: see --max-nodes\n";
  return text;
}

}  // namespace

void run_optimum(const Words& words) {
  OptimumOptions options;
  command_line::CommandLine line("lbsp model optimum",
                                 "The number of copies, of nodes, or of both that gives the largest speedup.",
                                 optimum_footer);
  add_options(line, options);
  if (!line.parse(words)) return;
  const model::paper::Optimum found = find(options);
  Json json = json_of(found.best);
  json["efficiency"] = number(found.best.efficiency());
  json["neighbours"] = json_of(found.neighbours);
  json["runners_up"] = json_of(found.runners_up);
  json["within_one_percent"] = {{"from", json_of(found.flat_from)}, {"to", json_of(found.flat_to)}};
  json["at_limit"] = found.at_limit;
  answer(options.json, text_of(found), json);
}

}  // namespace lbsp::model_command
