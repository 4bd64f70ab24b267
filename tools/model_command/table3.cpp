#include "model/pmm/table3.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"

namespace lbsp::model_command {
namespace {

using model::paper::PrintedAndComputed;
using model::pmm::Table3Row;

constexpr const char* table3_footer =
    R"(T = square · M² + cube · M³, in seconds. docs/predictors.md says what is misprinted.

Example: lbsp model table3 --json -)";

Json json_of(const PrintedAndComputed& value) {
  return {{"printed", value.printed}, {"computed", value.computed}, {"difference", value.difference()}};
}

Json json_of(const Table3Row& row) {
  return {{"cluster", row.cluster},
          {"nodes", count(row.nodes)},
          {"cores", count(row.cores_per_node)},
          {"square", json_of(row.square)},
          {"cube", json_of(row.cube)},
          {"misprint", row.misprint.empty() ? Json(nullptr) : Json(row.misprint)}};
}

std::string text_of(const Table3Row& row) {
  std::string text = fmt::format("{}\n", row.cluster);
  for (const auto& [name, value] : {std::pair{"square", row.square}, std::pair{"cube", row.cube}})
    text += fmt::format("  {:<8} printed {:.4e}  computed {:.4e}  {:+8.3f} %\n", name, value.printed,
                        value.computed, 100 * value.difference());
  if (!row.misprint.empty()) text += fmt::format("  misprint: {}\n", row.misprint);
  return text;
}

}  // namespace

void run_table3(const Words& words) {
  std::string json_file;
  command_line::CommandLine line(
      "lbsp model table3",
      "Table 3 of the paper that compares Dryad with MPI: as printed, as computed, and the difference.",
      table3_footer);
  add_json(line, json_file);
  if (!line.parse(words)) return;
  Json json = Json::array();
  std::string text;
  for (const Table3Row& row : model::pmm::table3()) {
    json.push_back(json_of(row));
    text += text_of(row);
  }
  answer(json_file, text, json);
}

}  // namespace lbsp::model_command
