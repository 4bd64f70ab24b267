#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "lbsp/collectives/checks.hpp"
#include "lbsp/collectives/kinds.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/partition.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// Brings the arrays of all ranks to the root. The root returns them one after the other, in the order of the
/// ranks; the others return nothing. The arrays may have different sizes.
///
/// It takes one superstep, in which the root receives all arrays except its own. A tree would take longer on
/// lbsp: it costs a delay for each level and sends every value up to ⌈log2 P⌉ times. Throws UsageError if the
/// ranks call different collectives or the root is not a rank.
template <TransferableRange R>
auto gather(World& world, R&& contribution, Rank root = 0) {
  using T = std::ranges::range_value_t<R>;
  const auto own = std::span<const T>(contribution);
  Queue<T> queue(
      collectives::announced(world, {collectives::kind_of(collectives::Simple::gather), root, sizeof(T)}));
  if (!own.empty()) queue.send(root, 0, own);
  world.sync();

  std::size_t total = 0;
  for (const auto message : queue)
    total += message.values().size();
  std::vector<T> all;
  all.reserve(total);
  for (const auto message : queue)
    all.insert(all.end(), message.values().begin(), message.values().end());
  return all;
}

/// Shares out the root's array: rank r returns the r-th of P consecutive parts, none of which is more than
/// one value longer than another (part_of, lbsp/partition.hpp). The arrays of the other ranks are ignored.
///
/// It takes one superstep, in which the root sends all parts except its own. It does not use a tree, for the
/// same reasons as gather(). Throws UsageError if the ranks call different collectives or the root is not a
/// rank.
template <TransferableRange R>
auto scatter(World& world, R&& all, Rank root = 0) {
  using T = std::ranges::range_value_t<R>;
  const auto whole = std::span<const T>(all);
  Queue<T> queue(
      collectives::announced(world, {collectives::kind_of(collectives::Simple::scatter), root, sizeof(T)}));
  for (Rank to = 0; world.rank() == root && to < world.size(); ++to) {
    const Range part = part_of(whole.size(), world.size(), to);
    if (to != root && part.count > 0) queue.send(to, 0, whole.subspan(part.begin, part.count));
  }
  world.sync();
  std::span<const T> own;
  if (world.rank() == root) {
    const Range part = part_of(whole.size(), world.size(), root);
    own = whole.subspan(part.begin, part.count);
  } else if (!queue.empty()) {
    own = queue[0].values();
  }
  return std::vector<T>(own.begin(), own.end());
}

}  // namespace lbsp
