// What becomes of a link, and of others on it, when jobs send through it: the scenarios of RFC 9743 in virtual time,
// one line each, with the bars that it misses. docs/benchmarks/congestion.md explains the columns.
//
//   congestion_scorecard [--told] [GROUP…]        groups: alone jobs cubic bbr short policer changes
//
// --told: each job is told the link's rate; otherwise it has to find it.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/congestion/scenarios.hpp"

namespace lbsp::bench {
namespace {

Outcome outcome_of(const Scenario& scenario) {
  try {
    return scenario.run();
  } catch (const std::runtime_error& failure) {
    return {failure.what(), {{"its end", false}}};
  }
}

std::string missed(const std::vector<Bar>& bars) {
  std::string names;
  for (const Bar& bar : bars) {
    if (!bar.cleared) names += fmt::format("{}{}", names.empty() ? "MISSES " : ", ", bar.name);
  }
  return names;
}

struct Chosen {
  bool told = false;
  std::vector<std::string_view> groups = {};

  bool wants(std::string_view group) const {
    return groups.empty() || std::ranges::find(groups, group) != groups.end();
  }
};

Chosen parse(const std::vector<std::string_view>& arguments) {
  Chosen chosen;
  const auto scenarios = all_scenarios(false);
  for (const std::string_view argument : arguments) {
    if (argument == "--told") {
      chosen.told = true;
    } else if (std::ranges::find(scenarios, argument, &Scenario::group) != scenarios.end()) {
      chosen.groups.push_back(argument);
    } else {
      throw std::invalid_argument(fmt::format(
          "there is no group {}: name some of alone, jobs, cubic, bbr, short, policer, changes", argument));
    }
  }
  return chosen;
}

void run(const Chosen& chosen) {
  int bars = 0;
  int cleared = 0;
  for (const Scenario& scenario : all_scenarios(chosen.told)) {
    if (!chosen.wants(scenario.group)) continue;
    const Outcome outcome = outcome_of(scenario);
    bars += static_cast<int>(outcome.bars.size());
    cleared += static_cast<int>(std::ranges::count(outcome.bars, true, &Bar::cleared));
    fmt::print("{:8} {:42} {:80} {}\n", scenario.group, scenario.name, outcome.figures, missed(outcome.bars));
    std::fflush(stdout);
  }
  fmt::print("\n{} of {} bars cleared\n", cleared, bars);
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  try {
    lbsp::bench::run(lbsp::bench::parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lbsp: {}\n", error.what());
    return 1;
  }
}
