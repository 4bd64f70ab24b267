#include "algorithms/bitonic_schedule.hpp"

#include <bit>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

void check_power_of_two(Rank ranks) {
  const auto count = static_cast<unsigned>(ranks);
  if (std::has_single_bit(count)) return;
  throw UsageError(fmt::format("a bitonic sort cannot be made on {} ranks: start {} or {}", ranks,
                               std::bit_floor(count), std::bit_ceil(count)));
}

}  // namespace

std::vector<BitonicStep> bitonic_schedule(Rank rank, Rank ranks) {
  check_power_of_two(ranks);
  std::vector<BitonicStep> steps;
  for (Rank stage = 2; stage <= ranks; stage *= 2) {
    // Every other block of 2^S ranks sorts the other way round, so that two of them make a bitonic sequence.
    const bool forwards = (rank & stage) == 0;
    for (Rank bit = stage / 2; bit > 0; bit /= 2) {
      const bool lower = (rank & bit) == 0;
      steps.push_back({rank ^ bit, lower == forwards});
    }
  }
  return steps;
}

}  // namespace lbsp::algorithms
