#pragma once

#include <string>
#include <vector>

#include "model/critical_path/supersteps.hpp"
#include "tools/report/supersteps.hpp"

namespace lbsp::report {

/// Each is an SVG element, coloured by classes of the page's style.

/// A band for each rank, by time: the part of each of 1000 columns that it computes, waits and takes messages apart;
/// and the critical path, if it has at most 2000 stretches.
std::string time_line(const trace_file::TimeLines& lines, const model::critical_path::Estimate& path);

/// The communication of each superstep, or the mean of neighbours where there are more than 200: a bar for what was
/// measured, a line across it for what was predicted, and one along it for what nine of ten take. The same follows as a
/// table that opens by keyboard.
std::string measured_and_predicted(const std::vector<Superstep>& supersteps);

/// How many supersteps took how long, in 40 classes.
std::string histogram_of_supersteps(const std::vector<Superstep>& supersteps);
/// The same of their communication, with lines for the ends and the mean of the plan whose mean is the middle one.
std::string histogram_of_communication(const std::vector<Superstep>& supersteps);

}  // namespace lbsp::report
