#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/bitonic_schedule.hpp"
#include "algorithms/compare_split.hpp"
#include "algorithms/even_blocks.hpp"
#include "algorithms/key_order.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/steps.hpp"
#include "lbsp/world.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {

namespace detail {

/// What a rank has of the keys before any step of the sort.
template <class T>
struct SortPart {
  std::size_t total = 0;     ///< on all ranks
  Rank ranks = 0;            ///< that the schedule is for
  std::uint64_t begins = 0;  ///< the step which is the schedule's first
  std::vector<T> own;

  template <class All>
  void fields(All& all) {
    all(total, ranks, begins, own);
  }
};

template <class T, class Less>
class BitonicSort {
 public:
  BitonicSort(World& world, std::vector<T> own, Less less)
      : world_(world), less_(less), schedule_(bitonic_schedule(world.rank(), world.size())) {
    part_.own = std::move(own);
    begin_schedule(0);
    queue_.emplace(world);
  }

  SortPart<T>& part() { return part_; }
  std::uint64_t count() const { return part_.total == 0 ? 0 : schedule_.size(); }

  /// Goes on with the part, which is one that was kept, and with those of lost ranks. One superstep or two if the
  /// ranks are fewer now.
  template <class Inherited>
  void go_on(std::uint64_t step, std::size_t total, const std::vector<Inherited>& inherited) {
    if (part_.total != total)
      throw UsageError("the states that were kept are of other keys: give those that there were");
    for (const auto& lost : inherited)
      part_.own.insert(part_.own.end(), lost.state.own.begin(), lost.state.own.end());
    if (part_.ranks != world_.size()) begin_schedule(step);
  }

  void step(std::uint64_t number) {
    const BitonicStep& step = schedule_[number];
    std::vector<T>& own = part_.own;
    if (!own.empty()) queue_->send(step.partner, 0, own);
    world_.sync();
    const std::span<const T> theirs = queue_->empty() ? std::span<const T>{} : (*queue_)[0].values();
    const std::size_t both = own.size() + theirs.size();
    const std::size_t first = std::min(most_, both);
    if (step.keeps_first) {
      keep_first<T>(own, theirs, first, kept_, less_);
    } else {
      keep_last<T>(own, theirs, both - first, kept_, less_);
    }
    std::swap(own, kept_);
  }

 private:
  void begin_schedule(std::uint64_t step) {
    const BlockCounts counts = count_blocks(world_, part_.own.size());
    // Every block counts as `most_` elements long. The elements that a block lacks stand for elements behind all
    // others. They need not be sent, and gather at the end.
    most_ = counts.even(world_.size());
    if (counts.longest > most_) part_.own = even_out(world_, part_.own, counts);
    std::sort(part_.own.begin(), part_.own.end(), less_);
    part_.total = counts.total;
    part_.ranks = world_.size();
    part_.begins = step;
  }

  World& world_;
  Less less_;
  std::vector<BitonicStep> schedule_;
  SortPart<T> part_;
  std::size_t most_ = 0;
  std::optional<Queue<T>> queue_;
  std::vector<T> kept_;
};

template <class T, class Less>
std::vector<T> sort_at_once(World& world, std::vector<T> own, Less less) {
  BitonicSort<T, Less> sort(world, std::move(own), less);
  for (std::uint64_t step = 0; step < sort.count(); ++step)
    sort.step(step);
  return std::move(sort.part().own);
}

template <class T, class Less>
std::vector<T> sort_in_steps(World& world, std::vector<T> own, Less less, const Keep& keep) {
  BitonicSort<T, Less> sort(world, std::move(own), less);
  const std::size_t total = sort.part().total;
  Steps<SortPart<T>> steps(world, sort.part(), Steps<SortPart<T>>::endless, keep);
  if (steps.first() > 0) sort.go_on(steps.first(), total, steps.inherited());
  for (const std::uint64_t step : steps) {
    const std::uint64_t number = step - sort.part().begins;
    if (number >= sort.count()) break;
    sort.step(number);
  }
  return std::move(sort.part().own);
}

template <class T, class Less>
std::vector<T> sort_blocks(World& world, std::vector<T> own, Less less, const std::optional<Keep>& keep) {
  return keep ? sort_in_steps(world, std::move(own), less, *keep) : sort_at_once(world, std::move(own), less);
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
/// With `keep`, for a job that outlives its ranks (lbsp/steps.hpp), other hosts keep each rank's keys before every
/// keep->every-th superstep. The result stays the same, bit for bit, on fewer ranks too if they are a power of two.
///
/// Throws UsageError if P is not a power of two.
template <NumberKey K>
std::vector<K> bitonic_sort(World& world, std::vector<K> own, SortOrder order = SortOrder::ascending,
                            const std::optional<Keep>& keep = {}) {
  if constexpr (std::floating_point<K>) {
    const FloatOrder<K> codes(order);
    codes.encode(std::span(own));
    auto sorted = detail::sort_blocks(world, std::move(own), typename FloatOrder<K>::CodeLess{}, keep);
    codes.decode(std::span(sorted));
    return sorted;
  } else if (order == SortOrder::descending) {
    return detail::sort_blocks(world, std::move(own), std::greater<K>{}, keep);
  } else {
    return detail::sort_blocks(world, std::move(own), std::less<K>{}, keep);
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
  return detail::sort_at_once(world, std::move(own), [&](const T& a, const T& b) {
    return static_cast<bool>(std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b)));
  });
}

}  // namespace lbsp::algorithms
