#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lbsp/collectives/values.hpp"
#include "transport/bytes.hpp"

namespace lbsp::collectives {

/// Combines the contributions of ranks 0, 1, 2 … with the brackets of a binary tree over the ranks,
/// ((0∘1)∘(2∘3))∘(4∘5) …. Trees and doubling over the network use the same brackets, so every variant gives
/// the same bits, even if ∘ rounds. Holds at most ⌈log2 P⌉ + 1 vectors.
class TreeFold {
 public:
  TreeFold(const Combine& combine, std::size_t element_bytes)
      : combine_(combine), element_bytes_(element_bytes) {}

  /// Adds the next rank's contribution, which is copied.
  void add(std::span<const std::byte> contribution);

  /// Writes the combination of all contributions, at least one, to `into`. Call it once, at the end.
  void finish(std::span<std::byte> into);

 private:
  void merge_last_two();

  const Combine& combine_;
  std::size_t element_bytes_;
  /// How many ranks are combined, and their values. Each block has at least twice as many ranks as the next.
  std::vector<std::pair<std::size_t, Bytes>> blocks_;
};

}  // namespace lbsp::collectives
