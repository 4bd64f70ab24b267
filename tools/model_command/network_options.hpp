#pragma once

#include <optional>

#include "model/paper/optimum.hpp"
#include "tools/model_command/arguments.hpp"

namespace lbsp::model_command {

/// What `speedup` and `optimum` are told of the network and of a program that scales.
struct NetworkOptions {
  std::optional<double> loss;
  std::optional<double> packet_time;
  std::optional<double> delay;
  std::optional<double> work;
  std::optional<model::paper::PacketsPerSuperstep> packets;
  model::paper::Scheme scheme = model::paper::Scheme::rounds;
  bool concept_only = false;
};

void add_network_options(command_line::CommandLine& line, NetworkOptions& options);

/// The question of a program that scales by c(n). Throws UsageError for what is missing; the conceptual model
/// needs the loss and c(n) only.
model::paper::Question question_of(const NetworkOptions& options);

}  // namespace lbsp::model_command
