#include "tools/model_command/model_command.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

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
  pmm       the time of a matrix product by Fox's algorithm
  table3    Table 3 of the paper of that product, as printed and as computed
  queueing  the time of a program on hosts of several cores, and from how many processes more do not pay

lbsp model SUBCOMMAND --help says more; docs/model.md and docs/predictors.md have the formulas.

Example: lbsp model rho --loss 10% --copies 2 --packets 1e6
)";

struct Subcommand {
  std::string_view name;
  void (*run)(const Words& words);
};

constexpr Subcommand subcommands[] = {
    {"rho", run_rho},       {"speedup", run_speedup}, {"optimum", run_optimum}, {"table2", run_table2},
    {"figure", run_figure}, {"pmm", run_pmm},         {"table3", run_table3},   {"queueing", run_queueing}};

}  // namespace

int run_model(const Words& words) {
  const std::string name = words.empty() ? "" : words.front();
  if (name == "--help" || name == "-h") {
    fmt::print("{}", help);
    return 0;
  }
  const auto found = std::ranges::find(subcommands, name, &Subcommand::name);
  if (found == std::end(subcommands)) {
    const std::string what =
        name.empty() ? "no subcommand of lbsp model" : fmt::format("no subcommand {} of lbsp model", name);
    throw UsageError(what + ": use rho, speedup, optimum, table2, figure, pmm, table3 or queueing");
  }
  found->run({words.begin() + 1, words.end()});
  return 0;
}

}  // namespace lbsp::model_command
