#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lbsp/collectives/values.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"

namespace lbsp::collective {

/// What a collective is called with; must be the same on all ranks, or the first sync throws UsageError.
struct Call {
  std::uint32_t kind = 0;  ///< which collective, in which variant
  Rank root = 0;
  std::size_t bytes = 0;
};

/// The messages of one collective: at most one from each rank to each other in a superstep. Empty ones are
/// not sent, and read as empty.
class Courier {
 public:
  /// Throws UsageError if there is no such root.
  Courier(World& world, const Call& call);

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }

  void send(Rank to, std::span<const std::byte> bytes) const;
  void sync();

  /// What `source` sent, valid to the next sync. Aligned for any value.
  std::span<const std::byte> from(Rank source) const;

  /// Copies it to where it belongs; `into` must be as long.
  void fetch(Rank source, std::span<std::byte> into) const;

 private:
  World& world_;
  Rank rank_;
  Rank size_;
  Queue<std::byte> queue_;
  std::vector<std::span<const std::byte>> received_;  ///< by source
};

/// Every rank r sends blocks[r] to all others, in one superstep.
void all_gather_direct(Courier& courier, std::span<const std::span<std::byte>> blocks);

/// The same around a ring, in P-1 supersteps.
void all_gather_ring(Courier& courier, std::span<const std::span<std::byte>> blocks);

/// Parts of a vector, one for each rank, none longer than another by more than an element.
std::vector<std::span<std::byte>> parts_of(const Vector& vector, Rank ranks);

}  // namespace lbsp::collective
