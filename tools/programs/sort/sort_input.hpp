#pragma once

#include <cstddef>
#include <vector>

#include "lbsp/world.hpp"
#include "tools/programs/sort/sort_arguments.hpp"

namespace lbsp::programs::sort {

/// What bitonic_sort sorts: everyone's keys, and on rank 0 all of them, if they come from a file.
template <class K>
struct SortInput {
  std::size_t keys = 0;  ///< N
  std::vector<K> own;
  std::vector<K> whole;
};

/// The type of the keys: as told, or else as in the .npy file, which rank 0 looks at, in one superstep. All
/// ranks call it together. Throws UsageError, on rank 0 alone where the file is wrong.
KeyType key_type_of(World& world, const SortArguments& arguments);

/// Makes the keys from the seed, with no message, or has rank 0 read and deal out the file, in two
/// supersteps. All ranks call it together. Throws UsageError or SystemError, on rank 0 alone where the file
/// is wrong or does not fit in memory.
template <class K>
SortInput<K> make_sort_input(World& world, const SortArguments& arguments);

/// All N random keys.
template <class K>
std::vector<K> all_random_keys(const SortArguments& arguments);

}  // namespace lbsp::programs::sort
