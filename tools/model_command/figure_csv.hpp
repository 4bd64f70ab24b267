#pragma once

#include <string>

#include "model/paper/figures.hpp"

namespace lbsp::model_command {

/// A heading and a line for each point: figure, p, n, k, work in hours (empty in figure 7), and the speedup
/// for each c(n).
std::string figure_csv(const model::paper::Figure& figure);

/// The figure as SVG, drawn by gnuplot: a panel for each c(n), a curve for each value of what is not the
/// axis. Throws UsageError if there is no gnuplot in PATH, SystemError if it fails.
std::string figure_svg(const model::paper::Figure& figure);

}  // namespace lbsp::model_command
