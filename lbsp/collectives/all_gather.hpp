#pragma once

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "lbsp/collectives/choice.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/collectives/variants.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

namespace collectives {
/// `all` has a place for every rank's contribution, and holds this rank's own in its place.
void all_gather(World& world, std::span<std::byte> all, AllGather how);
}  // namespace collectives

/// Gives every rank the contributions of all ranks, in the order of the ranks. All ranks contribute the same
/// number of values; gather() (gather.hpp) takes different numbers. Without `how`, best_all_gather() chooses
/// the variant by the size.
///
/// It ends supersteps, as broadcast() does. Throws UsageError if the ranks call it with different sizes or
/// variants.
template <TransferableRange R>
auto all_gather(World& world, R&& contribution, std::optional<AllGather> how = {}) {
  using T = std::ranges::range_value_t<R>;
  const auto own = std::span<const T>(contribution);
  std::vector<T> all(own.size() * static_cast<std::size_t>(world.size()));
  std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(own.size()) * world.rank());
  collectives::all_gather(world, std::as_writable_bytes(std::span(all)),
                          how.value_or(best_all_gather(own.size_bytes(), world.size())));
  return all;
}

/// The same with one value of every rank.
template <Transferable T>
requires(!std::ranges::range<T>) std::vector<T> all_gather(World& world, const T& contribution,
                                                           std::optional<AllGather> how = {}) {
  return all_gather(world, std::span(&contribution, 1), how);
}

}  // namespace lbsp
