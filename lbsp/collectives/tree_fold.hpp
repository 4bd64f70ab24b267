#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lbsp/collectives/values.hpp"
#include "transport/bytes.hpp"

namespace lbsp::collective {

/// Combines the contributions of ranks 0, 1, 2 … with the brackets of a binary tree over the ranks,
/// ((0∘1)∘(2∘3))∘(4∘5) …, which is what trees and doubling do over the network: so every variant has the same
/// bits, also where ∘ rounds. Holds at most ⌈log2 P⌉ + 1 vectors.
class TreeFold {
 public:
  TreeFold(const Combine& combine, std::size_t element_bytes)
      : combine_(combine), element_bytes_(element_bytes) {}

  /// The next rank's. Copied.
  void add(std::span<const std::byte> contribution);

  /// Writes the combination of all that were added, at least one, to `into`. Once, in the end.
  void finish(std::span<std::byte> into);

 private:
  void merge_last_two();

  const Combine& combine_;
  std::size_t element_bytes_;
  std::vector<std::pair<std::size_t, Bytes>>
      blocks_;  ///< ranks combined, values; each twice its successor or more
};

}  // namespace lbsp::collective
