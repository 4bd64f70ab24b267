#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/local_product.hpp"
#include "algorithms/product_factors.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// What a step multiplies on one rank: `inner` columns of A, of the block of rank `a`, by as many rows of B, of the
/// block of rank `b`.
struct StepFactors {
  Rank a;
  Rank b;
  std::size_t inner;
};

/// Which steps a rank lacks: those from `first` on.
using LackedSteps = std::map<Rank, std::uint64_t>;

/// All ranks tell each other, in one superstep, with which step their part of a product goes on; those that have come
/// to `end` lack none.
inline LackedSteps lacked_steps(World& world, std::uint64_t own, std::uint64_t end) {
  const Queue<std::uint64_t> queue(world);
  for (Rank to = 0; to < world.size() && own < end; ++to)
    queue.send(to, 0, own);
  world.sync();
  LackedSteps lacked;
  for (const auto message : queue)
    lacked[message.source()] = message.values()[0];
  return lacked;
}

/// Makes up for the steps before `end` that ranks lack: those that have the factors send them again, and who lacks them
/// multiplies them, in the order of the steps, so that its part of the product has the same bits as if it had done
/// them. After the superstep of lacked_steps() it takes one for each Product::steps_at_once() steps, which need no more
/// memory for messages than a block of the product, or a step. All ranks call it together. The idea: Z. Chen, J.
/// Dongarra, *Algorithm-based checkpoint-free fault tolerance for parallel matrix computations on volatile resources*,
/// 2006; what need not be saved at all: J. S. Plank et al., *Memory exclusion: optimizing the performance of
/// checkpointing systems*, 1999.
template <class T, class Product>
void catch_up(World& world, Product& product, std::uint64_t own, std::uint64_t end, std::vector<T>& values) {
  using Key = std::pair<std::uint64_t, Factor>;
  struct Tag {
    std::uint64_t step;
    Factor factor;
  };
  const LackedSteps lacked = lacked_steps(world, own, end);
  const Queue<T, Tag> queue(world);
  const Rank self = world.rank();
  const auto give = [&](Rank to, std::uint64_t step) {
    const StepFactors factors = product.factors(step, to);
    if (to == self) return;
    if (factors.a == self) queue.send(to, Tag{step, Factor::a}, product.left(step));
    if (factors.b == self) queue.send(to, Tag{step, Factor::b}, product.right(step));
  };
  const auto make_up = [&](std::uint64_t step, std::map<Key, std::span<const T>>& arrived) {
    const StepFactors factors = product.factors(step, self);
    const std::span<const T> left = factors.a == self ? product.left(step) : arrived[{step, Factor::a}];
    const std::span<const T> right = factors.b == self ? product.right(step) : arrived[{step, Factor::b}];
    add_product<T>(product.shape(factors.inner), left, right, values);
  };
  std::uint64_t begin = end;
  for (const auto& [rank, first] : lacked)
    begin = std::min(begin, first);
  for (; begin < end; begin += product.steps_at_once()) {
    const std::uint64_t stop = std::min(end, begin + product.steps_at_once());
    for (const auto& [rank, first] : lacked)
      for (std::uint64_t step = std::max(begin, first); step < stop; ++step)
        give(rank, step);
    world.sync();
    std::map<Key, std::span<const T>> arrived;
    for (const auto message : queue)
      arrived[{message.tag().step, message.tag().factor}] = message.values();
    for (std::uint64_t step = std::max(begin, own); step < stop; ++step)
      make_up(step, arrived);
  }
}

}  // namespace lbsp::algorithms
