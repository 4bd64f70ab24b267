#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lbsp/collectives/values.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/superstep/agreement/collective_call.hpp"
#include "lbsp/world.hpp"

namespace lbsp::collectives {

/// Carries the messages of one collective: in a superstep at most one from each rank to each other. Empty
/// messages are not sent; they read as empty.
class Courier {
 public:
  /// Throws UsageError if the root is not a rank. All ranks must make the same call, or the first sync throws
  /// it.
  Courier(World& world, const superstep::CollectiveCall& call);

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }

  void send(Rank to, std::span<const std::byte> bytes) const;
  void sync();

  /// What `source` sent. Valid to the next sync, and aligned for any value.
  std::span<const std::byte> from(Rank source) const;

  /// Copies what `source` sent; `into` must have the same length.
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

/// Cuts a vector into parts, one for each rank. No part is more than one element longer than another.
std::vector<std::span<std::byte>> parts_of(const Vector& vector, Rank ranks);

}  // namespace lbsp::collectives
