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

namespace collectives {
void reduce(World& world, const Vector& values, const Combine& combine, Rank root, Reduce how);
void all_reduce(World& world, const Vector& values, const Combine& combine, AllReduce how);
}  // namespace collectives

/// Combines the arrays of all ranks element by element, in place. reduce() leaves the result on the root, and
/// no particular values in the others' arrays. all_reduce() leaves it on all ranks. All arrays have the same
/// size.
///
/// `operation(x, y)` must be associative. It need not be commutative, because the ranks stay in order. Every
/// variant brackets it as a binary tree over the ranks, ((0∘1)∘(2∘3))∘(4∘5) …. So even if the operation
/// rounds, as floating-point addition does, the result has the same bits in every run on the same number of
/// ranks, on every rank, whatever the network, the backend and the variant.
///
/// Without `how`, best_reduce() or best_all_reduce() chooses the variant by the size. Both end supersteps, as
/// broadcast() does. They throw UsageError if the ranks call them with different sizes, roots, variants or
/// operations. Two functions are different operations, and so are function objects of two types, and std::plus{} of
/// int and of float. So two lambdas are different operations even if they do the same.
///
///     lbsp::all_reduce(world, forces, std::plus{});
///     const auto larger = [](double a, double b) { return std::max(a, b); };
///     const double residual = lbsp::all_reduce(world, own, larger);
template <TransferableRange R, class Operation>
void reduce(World& world, R&& values, Operation operation, Rank root = 0, std::optional<Reduce> how = {}) {
  using T = std::ranges::range_value_t<R>;
  const collectives::Vector vector = collectives::vector_of(values);
  collectives::reduce(world, vector, collectives::combine_with<T>(operation), root,
                      how.value_or(best_reduce(vector.bytes.size(), world.size())));
}

template <TransferableRange R, class Operation>
void all_reduce(World& world, R&& values, Operation operation, std::optional<AllReduce> how = {}) {
  using T = std::ranges::range_value_t<R>;
  const collectives::Vector vector = collectives::vector_of(values);
  collectives::all_reduce(world, vector, collectives::combine_with<T>(operation),
                          how.value_or(best_all_reduce(vector.bytes.size(), world.size())));
}

/// The same with one value of every rank. Returns the combination of all.
template <TransferableAlone T, class Operation>
T all_reduce(World& world, T value, Operation operation, std::optional<AllReduce> how = {}) {
  all_reduce(world, std::span(&value, 1), operation, how);
  return value;
}

}  // namespace lbsp
