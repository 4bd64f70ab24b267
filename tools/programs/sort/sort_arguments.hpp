#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/key_order.hpp"
#include "lbsp/steps.hpp"
#include "tools/programs/sort/key_type.hpp"

namespace lbsp::programs::sort {

/// Unless asked, so many keys are verified at most: one core sorts them again in about two seconds.
inline constexpr std::size_t sort_verified_by_default = std::size_t{1} << 24;

/// What bitonic_sort is asked to do.
struct SortArguments {
  std::size_t size = std::size_t{1} << 20;  ///< N random keys; not used with a file
  std::uint64_t seed = 1;                   ///< of those keys
  std::optional<KeyType> type;              ///< float64 for random keys, what it holds for a .npy file
  algorithms::SortOrder order = algorithms::SortOrder::ascending;
  std::string in;              ///< file of keys, if any: .npy, or raw under any other name
  std::string out;             ///< .npy file for the sorted keys, if any
  Keep keep;                   ///< how often the ranks' states are kept, if they are
  std::optional<bool> verify;  ///< unless given, by the size

  bool verifies(std::size_t keys) const { return verify.value_or(keys <= sort_verified_by_default); }
};

/// Returns the text to print instead of running, if that is asked for. Throws UsageError.
std::optional<std::string> parse_sort(int count, const char* const* words, SortArguments& parsed);

}  // namespace lbsp::programs::sort
