#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/model_command/answer.hpp"
#include "tools/model_command/figure_csv.hpp"
#include "tools/model_command/model_command.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

constexpr const char* footer =
    R"(7: conceptual model against nodes; 8 to 12: L-BSP against nodes, loss, copies, and work on 2 and on 131072 nodes.
The table goes to standard output, unless it is told to go elsewhere or to be drawn.

Example: lbsp model figure 10 --svg copies.svg)";

int read_figure(const std::string& text, const char*) {
  if (text.size() <= 2)
    for (int number = 7; number <= 12; ++number)
      if (text == std::to_string(number)) return number;
  throw UsageError(fmt::format("no figure {}: choose one from 7 to 12", text));
}

Json json_of(const model::paper::Figure& figure) {
  Json points = Json::array();
  for (const model::paper::FigurePoint& point : figure.points) {
    Json speedup = Json::object();
    for (std::size_t i = 0; i < point.speedup.size(); ++i)
      speedup[std::string(name_of(model::paper::all_packets_per_superstep[i]))] = number(point.speedup[i]);
    points.push_back({{"loss", point.loss},
                      {"nodes", count(point.nodes)},
                      {"copies", point.copies},
                      {"work", point.work_seconds ? Json(*point.work_seconds) : Json(nullptr)},
                      {"speedup", speedup}});
  }
  return {{"figure", figure.number}, {"title", figure.title}, {"points", points}};
}

}  // namespace

void run_figure(const Words& words) {
  std::optional<int> which;
  std::string svg;
  std::string json;
  command_line::CommandLine line("lbsp model figure",
                                 "Figures 7 to 12 of the L-BSP paper: speedups, as CSV or drawn.", footer);
  add(line, "figure", which, read_figure, "N", "7 to 12");
  line.add("--svg", svg, "FILE", "draw the figure; needs gnuplot");
  line.add("--json", json, "FILE", "write the points as JSON; - is standard output");
  if (!line.parse(words)) return;
  if (!which) throw UsageError("no figure: choose one from 7 to 12");
  const model::paper::Figure figure = model::paper::figure(*which);
  if (!svg.empty()) write_file(svg, figure_svg(figure));
  if (!json.empty() || svg.empty()) answer(json, figure_csv(figure), json_of(figure));
}

}  // namespace lbsp::model_command
