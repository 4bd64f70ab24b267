#include "model/paper/table2.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"

namespace lbsp::model_command {
namespace {

using model::paper::PrintedAndComputed;
using model::paper::Table2Row;

constexpr const char* table2_footer =
    R"(docs/paper.md says where the paper contradicts itself, and how lbsp reads it.

Example: lbsp model table2 --json -)";

struct Column {
  const char* name;
  PrintedAndComputed Table2Row::*value;
};

constexpr Column columns[] = {{"rounds", &Table2Row::rounds},
                              {"sequential", &Table2Row::sequential},
                              {"communication", &Table2Row::communication},
                              {"total", &Table2Row::total},
                              {"speedup", &Table2Row::speedup},
                              {"efficiency", &Table2Row::efficiency}};

Json json_of(const Table2Row& row) {
  Json json = {
      {"algorithm", row.workload.name}, {"nodes", count(row.workload.nodes)}, {"copies", row.copies}};
  for (const Column& column : columns) {
    const PrintedAndComputed& value = row.*column.value;
    json[column.name] = {
        {"printed", value.printed}, {"computed", value.computed}, {"difference", value.difference()}};
  }
  return json;
}

std::string text_of(const Table2Row& row) {
  std::string text =
      fmt::format("{} on {} nodes, {} copies\n{:<15} {:>12} {:>12} {:>11}\n", row.workload.name,
                  row.workload.nodes, row.copies, "", "printed", "computed", "difference");
  for (const Column& column : columns) {
    const PrintedAndComputed& value = row.*column.value;
    text += fmt::format("{:<15} {:>12.8g} {:>12.8g} {:>+9.3f} %\n", column.name, value.printed,
                        value.computed, 100 * value.difference());
  }
  return text;
}

}  // namespace

void run_table2(const Words& words) {
  std::string json_file;
  command_line::CommandLine line("lbsp model table2",
                                 "Table II of the L-BSP paper: as printed, as computed, and the difference.",
                                 table2_footer);
  add_json(line, json_file);
  if (!line.parse(words)) return;
  Json json = Json::array();
  std::string text;
  for (const Table2Row& row : model::paper::table2()) {
    json.push_back(json_of(row));
    if (!text.empty()) text += '\n';
    text += text_of(row);
  }
  answer(json_file, text, json);
}

}  // namespace lbsp::model_command
