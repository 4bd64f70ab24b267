#include "tools/model_command/model_command.hpp"

#include <cstdio>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

constexpr const char* help =
    R"(The model of supersteps over a lossy network: what they cost, and which setting is best.

Usage: lbsp model SUBCOMMAND [OPTIONS]

  rho       the expected rounds of a superstep
  speedup   the speedup of a superstep or a program on many nodes
  optimum   the best number of copies, of nodes, or of both
  table2    Table II of the L-BSP paper, as printed and as computed
  figure    the paper's figures 7 to 12, as CSV or drawn

lbsp model SUBCOMMAND --help says more; docs/model.md has the formulas.

Example: lbsp model rho --loss 10% --copies 2 --packets 1e6
)";

}  // namespace

int run_model(const Words& words) {
  const std::string subcommand = words.empty() ? "" : words.front();
  const Words rest(words.empty() ? words.begin() : words.begin() + 1, words.end());
  if (subcommand == "rho") {
    run_rho(rest);
  } else if (subcommand == "speedup") {
    run_speedup(rest);
  } else if (subcommand == "optimum") {
    run_optimum(rest);
  } else if (subcommand == "table2") {
    run_table2(rest);
  } else if (subcommand == "figure") {
    run_figure(rest);
  } else if (subcommand == "--help" || subcommand == "-h") {
    fmt::print("{}", help);
  } else if (subcommand.empty()) {
    throw UsageError("lbsp model needs a subcommand: use rho, speedup, optimum, table2 or figure");
  } else {
    throw UsageError(
        fmt::format("lbsp model has no {}: use rho, speedup, optimum, table2 or figure", subcommand));
  }
  return 0;
}

}  // namespace lbsp::model_command
