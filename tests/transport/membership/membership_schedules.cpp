// Runs jobs in virtual time whose members die, sleep and are cut off at random, and checks that those that are left
// agree: membership_schedules --seeds 1-100000. Exits with 1 if a rule is broken, and says how to run that seed again.
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "survivors.hpp"

namespace {

using namespace lbsp::transport::testing;

struct Totals {
  std::uint64_t runs = 0, broken = 0, epochs = 0, ended = 0, completed = 0, views = 0;
};

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// None if `last` is below `first`.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 0;
};

Seeds seeds_in(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = number_in(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_in(text.substr(dash + 1));
  return first && last ? Seeds{*first, *last} : Seeds{};
}

std::optional<Mutant> mutant_called(std::string_view name) {
  if (name == "none") return Mutant::none;
  if (name == "no-freeze") return Mutant::no_freeze;
  if (name == "any-half") return Mutant::any_half;
  if (name == "amnesia") return Mutant::amnesia;
  return std::nullopt;
}

void run(std::uint64_t seed, Mutant mutant, std::string_view name, Totals& totals) {
  const Schedule schedule = random_schedule(seed);
  const Outcome outcome = run_schedule(schedule, mutant);
  ++totals.runs;
  totals.epochs += outcome.epochs;
  totals.ended += outcome.running == 0 ? 1 : 0;
  totals.completed += outcome.completed;
  totals.views += outcome.views;
  if (outcome.violations.empty()) return;
  ++totals.broken;
  fmt::print("{}\n", describe(schedule));
  for (const std::string& violation : outcome.violations)
    fmt::print("  {}\n", violation);
  fmt::print("  again: membership_schedules --seeds {} --mutant {}\n", seed, name);
}

}  // namespace

int main(int count, char** arguments) {
  Seeds seeds{1, 1000};
  std::string_view name = "none";
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view option = arguments[i];
    if (option == "--seeds") seeds = seeds_in(arguments[i + 1]);
    if (option == "--mutant") name = arguments[i + 1];
  }
  const auto mutant = mutant_called(name);
  if (seeds.last < seeds.first || !mutant || count % 2 == 0) {
    fmt::print(stderr,
               "lbsp: no such options: membership_schedules [--seeds FIRST-LAST] [--mutant "
               "none|no-freeze|any-half|amnesia]\n");
    return 2;
  }
  Totals totals;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
    run(seed, *mutant, name, totals);
  fmt::print("{} schedules, {} broken; {} decisions, {} supersteps, {} views; no world went on in {}\n",
             totals.runs, totals.broken, totals.epochs, totals.completed, totals.views, totals.ended);
  return totals.broken == 0 ? 0 : 1;
}
