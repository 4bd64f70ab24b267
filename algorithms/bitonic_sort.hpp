#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/bitonic_schedule.hpp"
#include "algorithms/compare_split.hpp"
#include "algorithms/even_blocks.hpp"
#include "algorithms/key_order.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

namespace detail {

template <class T, class Less>
std::vector<T> bitonic_sort(World& world, std::vector<T> own, Less less) {
  const auto schedule = bitonic_schedule(world.rank(), world.size());
  const BlockCounts counts = count_blocks(world, own.size());
  const std::size_t most = counts.even(world.size());
  if (counts.longest > most) own = even_out(world, own, counts);

  std::sort(own.begin(), own.end(), less);
  if (counts.total == 0) return own;

  // Every block counts as `most` elements long. The elements that a block lacks stand for elements behind all
  // others. They need not be sent, and gather at the end.
  Queue<T> queue(world);
  std::vector<T> kept;
  for (const BitonicStep& step : schedule) {
    if (!own.empty()) queue.send(step.partner, 0, own);
    world.sync();
    const std::span<const T> theirs = queue.empty() ? std::span<const T>{} : queue[0].values();
    const std::size_t both = own.size() + theirs.size();
    const std::size_t first = std::min(most, both);
    if (step.keeps_first) {
      keep_first<T>(own, theirs, first, kept, less);
    } else {
      keep_last<T>(own, theirs, both - first, kept, less);
    }
    std::swap(own, kept);
  }
  return own;
}

}  // namespace detail

/// Sorts by Batcher's bitonic merge sort over P ranks, where P is a power of two. Each rank sorts its keys.
/// Then, L(L+1)/2 times with L = log2 P, it sends all of them to a partner and keeps the first or the last
/// half of both together. Returns this rank's part of the sorted sequence. All ranks call it together.
///
/// There may be any number of keys N, distributed in any way. Afterwards the first ranks have ⌈N/P⌉ keys
/// each, the next has what is left, and the last ones may have none. Floating-point keys are in the order of
/// key_order.hpp: NaN last in both directions, and -0.0 before +0.0. So the result is the same, bit for bit,
/// on any number of ranks.
///
/// Cost: L(L+1)/2 supersteps, in each of which every rank sends one message of N/P keys, as in the L-BSP
/// paper's section 5: c = P, h = 1. Before these, one superstep of 8 bytes between all pairs, in which the
/// ranks learn N; and one more to even out the blocks if a rank has more than ⌈N/P⌉ keys. N/P log2 N/P +
/// L(L+1)/2 · N/P comparisons. Memory: four times N/P keys.
///
/// Throws UsageError if P is not a power of two.
template <NumberKey K>
std::vector<K> bitonic_sort(World& world, std::vector<K> own, SortOrder order = SortOrder::ascending) {
  if constexpr (std::floating_point<K>) {
    const FloatOrder<K> codes(order);
    codes.encode(std::span(own));
    auto sorted = detail::bitonic_sort(world, std::move(own), typename FloatOrder<K>::CodeLess{});
    codes.decode(std::span(sorted));
    return sorted;
  } else if (order == SortOrder::descending) {
    return detail::bitonic_sort(world, std::move(own), std::greater<K>{});
  } else {
    return detail::bitonic_sort(world, std::move(own), std::less<K>{});
  }
}

/// The same for records of any trivially copyable type, ordered by compare(projection(a), projection(b)),
/// which must be a strict weak order. The sort is not stable: records that compare equal end in no particular
/// order, but in the same one in every run on the same number of ranks.
///
///     auto sorted = bitonic_sort(world, std::move(people), std::less{}, &Person::age);
template <Transferable T, class Compare, class Projection = std::identity>
requires std::default_initializable<T> &&
    std::strict_weak_order<Compare&, std::invoke_result_t<Projection&, const T&>,
                           std::invoke_result_t<Projection&, const T&>>
        std::vector<T> bitonic_sort(World& world, std::vector<T> own, Compare compare,
                                    Projection projection = {}) {
  return detail::bitonic_sort(world, std::move(own), [&](const T& a, const T& b) {
    return static_cast<bool>(std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b)));
  });
}

}  // namespace lbsp::algorithms
