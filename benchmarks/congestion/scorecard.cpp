// What becomes of a link, and of others on it, when jobs send through it: the scenarios of RFC 9743 in virtual time,
// one line each, with the bars that it misses. docs/benchmarks/congestion.md explains the columns.
//
//   congestion_scorecard [--told] [--seeds N] [GROUP…]        --help lists the groups
//
// --told: each job is told the link's rate; otherwise it has to find it. --seeds: each scenario runs so often, and the
// median of a bar counts; the figures are those of the first.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "benchmarks/congestion/run_program.hpp"
#include "benchmarks/congestion/scenarios.hpp"

namespace lbsp::bench {
namespace {

/// Of one bar, with several seeds.
struct Result {
  std::string_view name;
  std::vector<double> of_limit;

  double median() const { return of_limit[of_limit.size() / 2]; }
  bool cleared() const { return median() <= 1; }
};

struct Card {
  std::string figures;
  std::vector<Result> results;
};

void add(Card& card, const Outcome& outcome) {
  if (card.results.empty()) card.figures = outcome.figures;
  for (std::size_t bar = 0; bar < outcome.bars.size(); ++bar) {
    if (bar == card.results.size()) card.results.push_back({outcome.bars[bar].name, {}});
    card.results[bar].of_limit.push_back(outcome.bars[bar].of_limit);
  }
}

/// Misses its only bar if a job fails with any seed.
Card card_of(const Scenario& scenario, std::uint64_t seeds) {
  try {
    Card card;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      add(card, scenario.run(seed));
    for (Result& result : card.results)
      std::ranges::sort(result.of_limit);
    return card;
  } catch (const std::runtime_error& failure) {
    return {failure.what(), {{"its end", {std::numeric_limits<double>::infinity()}}}};
  }
}

std::string missed(const std::vector<Result>& results) {
  std::string names;
  for (const Result& result : results) {
    if (result.cleared()) continue;
    names += fmt::format("{}{} {:.2g} of its limit", names.empty() ? "MISSES " : ", ", result.name,
                         result.median());
    if (result.of_limit.size() > 1)
      names += fmt::format(" ({:.2g} to {:.2g})", result.of_limit.front(), result.of_limit.back());
  }
  return names;
}

struct Chosen {
  bool told = false;
  std::uint64_t seeds = 1;
  std::vector<std::string_view> groups = {};

  bool wants(std::string_view group) const {
    return groups.empty() || std::ranges::find(groups, group) != groups.end();
  }
};

std::uint64_t parse_seeds(std::string_view number) {
  std::uint64_t seeds = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seeds);
  if (error != std::errc{} || end != number.data() + number.size() || seeds == 0)
    throw std::invalid_argument(fmt::format("--seeds {}: name a number of 1 or more", number));
  return seeds;
}

/// Each with a blank before it, in their order.
std::string group_names() {
  std::vector<std::string_view> names;
  for (const Scenario& scenario : all_scenarios(false))
    if (std::ranges::find(names, scenario.group) == names.end()) names.push_back(scenario.group);
  std::string text;
  for (const std::string_view name : names)
    text += fmt::format(" {}", name);
  return text;
}

Chosen parse(const std::vector<std::string_view>& arguments) {
  Chosen chosen;
  const auto scenarios = all_scenarios(false);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--told") {
      chosen.told = true;
    } else if (argument == "--seeds" && i + 1 < arguments.size()) {
      chosen.seeds = parse_seeds(arguments[++i]);
    } else if (std::ranges::find(scenarios, argument, &Scenario::group) != scenarios.end()) {
      chosen.groups.push_back(argument);
    } else {
      throw std::invalid_argument(fmt::format(
          "there is no {}: name --told, --seeds N or some of the groups{}", argument, group_names()));
    }
  }
  return chosen;
}

void run(const Chosen& chosen) {
  int bars = 0;
  int cleared = 0;
  for (const Scenario& scenario : all_scenarios(chosen.told)) {
    if (!chosen.wants(scenario.group)) continue;
    const Card card = card_of(scenario, chosen.seeds);
    bars += static_cast<int>(card.results.size());
    cleared += static_cast<int>(std::ranges::count(card.results, true, &Result::cleared));
    fmt::print("{:8} {:42} {:80} {}\n", scenario.group, scenario.name, card.figures, missed(card.results));
    std::fflush(stdout);
  }
  fmt::print("\n{} of {} bars cleared\n", cleared, bars);
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  const auto run = [](const auto& words) {
    lbsp::bench::run(lbsp::bench::parse({words.begin(), words.end()}));
  };
  return lbsp::bench::run_program(run, argc, argv,
                                  fmt::format("congestion_scorecard [--told] [--seeds N] [GROUP…]\ngroups:{}",
                                              lbsp::bench::group_names()));
}
