#include <fmt/format.h>
#include <string>
#include <vector>

#include "tools/command_line/gnuplot.hpp"
#include "tools/model_command/figure_csv.hpp"

namespace lbsp::model_command {
namespace {

using model::paper::Figure;
using model::paper::FigureAxis;
using model::paper::FigurePoint;

constexpr const char* panel_titles[] = {"c = 1", "c = log_2 n",   "c = log_2^2 n",
                                        "c = n", "c = n log_2 n", "c = n^2"};

double along(FigureAxis axis, const FigurePoint& point) {
  switch (axis) {
    case FigureAxis::nodes:
      return point.nodes;
    case FigureAxis::loss:
      return point.loss;
    case FigureAxis::copies:
      return point.copies;
    case FigureAxis::work:
      break;
  }
  return *point.work_seconds / 3600;
}

const char* axis_settings(FigureAxis axis) {
  switch (axis) {
    case FigureAxis::nodes:
      return "set xlabel 'nodes'\nset logscale x 2\nset format x '2^{%L}'\n";
    case FigureAxis::loss:
      return "set xlabel 'loss p'\nset logscale x\nset format x '%g'\n";
    case FigureAxis::copies:
      return "set xlabel 'copies k'\nset xtics 1\n";
    case FigureAxis::work:
      break;
  }
  return "set xlabel 'work, hours'\nset logscale x\nset format x '10^{%L}'\n";
}

/// What a curve holds still.
std::string curve_of(const Figure& figure, const FigurePoint& point) {
  if (figure.axis == FigureAxis::loss) return fmt::format("n = {}", point.nodes);
  if (figure.axis == FigureAxis::copies) return fmt::format("n = {}, p = {}", point.nodes, point.loss);
  return fmt::format("p = {}", point.loss);
}

/// Curves in the order of the figure, each a gnuplot data block $c0, $c1, …
std::vector<std::string> add_data(const Figure& figure, std::string& script) {
  std::vector<std::string> names;
  for (const FigurePoint& point : figure.points) {
    const std::string name = curve_of(figure, point);
    if (names.empty() || names.back() != name) {
      if (!names.empty()) script += "EOD\n";
      script += fmt::format("$c{} << EOD\n", names.size());
      names.push_back(name);
    }
    script += fmt::format("{}", along(figure.axis, point));
    for (const double speedup : point.speedup)
      script += speedup > 1e-6 ? fmt::format(" {}", speedup) : " NaN";
    script += '\n';
  }
  script += "EOD\n";
  return names;
}

/// Figure 10 has four losses for each number of nodes: a colour for the one, a dash for the other.
std::string style_of(FigureAxis axis, std::size_t curve) {
  constexpr std::size_t losses = 4;
  if (axis != FigureAxis::copies) return fmt::format("lt {}", curve + 1);
  return fmt::format("lt {} dt {}", curve % losses + 1, curve / losses + 1);
}

std::string script_of(const Figure& figure) {
  std::string script =
      "set terminal svg size 1200,760 dynamic enhanced font 'sans-serif,13' background 'white'\n"
      "set style data linespoints\nset pointsize 0.4\nset grid lc rgb '#dddddd'\nset border lc rgb "
      "'#666666'\n"
      "set tics textcolor rgb '#333333'\nset ylabel 'speedup'\nset logscale y\nset format y '%g'\nset yrange "
      "[0.1:*]\n";
  script += axis_settings(figure.axis);
  const std::vector<std::string> curves = add_data(figure, script);
  script += fmt::format(
      "set multiplot layout 2,3 title '{}' font ',16' margins 0.07,0.98,0.17,0.89 spacing 0.07,0.13\n",
      figure.title);
  for (std::size_t panel = 0; panel < std::size(panel_titles); ++panel) {
    // One key for all panels, below them.
    script += fmt::format(
        "set title '{}'\n{}\nplot ", panel_titles[panel],
        panel == 0 ? "set key at screen 0.5,0.045 center center vertical maxrows 4 font ',11'" : "unset key");
    for (std::size_t curve = 0; curve < curves.size(); ++curve)
      script += fmt::format("{}$c{} using 1:{} lw 1.6 {} title '{}'", curve == 0 ? "" : ", ", curve,
                            panel + 2, style_of(figure.axis, curve), curves[curve]);
    script += '\n';
  }
  return script + "unset multiplot\n";
}

}  // namespace

std::string figure_svg(const Figure& figure) {
  return command_line::draw_svg(script_of(figure));
}

}  // namespace lbsp::model_command
