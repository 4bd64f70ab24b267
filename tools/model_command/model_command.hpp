#pragma once

#include "tools/model_command/arguments.hpp"

namespace lbsp::model_command {

/// `lbsp model`: the model by itself, as numbers, CSV or a plot. Returns the exit code; throws UsageError,
/// SystemError or std::invalid_argument, whose texts are for the user.
int run_model(const Words& words);

// Its subcommands, each given the words after its name.
void run_rho(const Words& words);
void run_speedup(const Words& words);
void run_optimum(const Words& words);
void run_table2(const Words& words);
void run_figure(const Words& words);
void run_pmm(const Words& words);
void run_queueing(const Words& words);
void run_table3(const Words& words);

}  // namespace lbsp::model_command
