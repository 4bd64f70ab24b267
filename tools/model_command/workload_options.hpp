#pragma once

#include <optional>
#include <string>

#include "model/paper/workloads.hpp"
#include "tools/model_command/arguments.hpp"

namespace lbsp::model_command {

/// A program that the model knows by name.
struct WorkloadOptions {
  std::optional<std::string> name;
  std::optional<double> size;
  std::optional<double> flops;
  std::optional<double> packet_bytes;
  std::optional<double> bandwidth;
  std::optional<double> sweeps;
  bool one_superstep = false;
};

void add_workload_options(command_line::CommandLine& line, WorkloadOptions& options);

/// Throws UsageError for an unknown name and for what is missing.
model::paper::Workload workload_of(const WorkloadOptions& options, double nodes);

}  // namespace lbsp::model_command
