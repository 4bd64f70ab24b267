#pragma once

#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "lbsp/collectives/choice.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/collectives/variants.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

namespace collective {
void reduce(World& world, const Vector& values, const Combine& combine, Rank root, Reduce how);
void all_reduce(World& world, const Vector& values, const Combine& combine, AllReduce how);
}  // namespace collective

/// Combines the arrays of all ranks element by element, in place: on the root in reduce(), where the others'
/// arrays are left with no particular values; on all in all_reduce(). All have the same size.
///
/// `operation(x, y)` must be associative; it need not be commutative, the ranks stay in order. The brackets
/// are those of a binary tree over the ranks, ((0∘1)∘(2∘3))∘(4∘5) …, in every variant: where the operation
/// rounds, as floating-point addition does, the result still has the same bits in every run with as many
/// ranks, whatever the network does, whatever backend and variant, and on every rank.
///
/// Without `how`, best_reduce() or best_all_reduce() of the size chooses. Ends supersteps as broadcast()
/// does. Throws UsageError where the ranks call it with different sizes, roots or variants.
///
///     lbsp::all_reduce(world, forces, std::plus{});
///     const double residual = lbsp::all_reduce(world, own, [](double a, double b) { return std::max(a, b);
///     });
template <TransferableRange R, class Operation>
void reduce(World& world, R&& values, Operation operation, Rank root = 0, std::optional<Reduce> how = {}) {
  using T = std::ranges::range_value_t<R>;
  const collective::Vector vector = collective::vector_of(values);
  collective::reduce(world, vector, collective::combine_with<T>(operation), root,
                     how.value_or(best_reduce(vector.bytes.size(), world.size())));
}

template <TransferableRange R, class Operation>
void all_reduce(World& world, R&& values, Operation operation, std::optional<AllReduce> how = {}) {
  using T = std::ranges::range_value_t<R>;
  const collective::Vector vector = collective::vector_of(values);
  collective::all_reduce(world, vector, collective::combine_with<T>(operation),
                         how.value_or(best_all_reduce(vector.bytes.size(), world.size())));
}

/// One value of every rank; returns the combination of all.
template <Transferable T, class Operation>
requires(!std::ranges::range<T>) T
    all_reduce(World& world, T value, Operation operation, std::optional<AllReduce> how = {}) {
  all_reduce(world, std::span(&value, 1), operation, how);
  return value;
}

}  // namespace lbsp
