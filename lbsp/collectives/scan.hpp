#pragma once

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "lbsp/collectives/choice.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/collectives/variants.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

namespace collectives {
/// Leaves the inclusive scan in `values`. If `before` has bytes, it gets the exclusive scan; on rank 0 it is
/// not changed.
void scan(World& world, const Vector& values, std::span<std::byte> before, const Combine& combine, Scan how);
}  // namespace collectives

/// Prefix sums over the ranks, element by element, in place. inclusive_scan() leaves rank r with 0∘1∘…∘r.
/// exclusive_scan() leaves it with 0∘1∘…∘(r-1), and rank 0 with `identity`. All arrays have the same size.
///
/// The operation and its brackets, and so the bits of the result, are as for all_reduce() (reduce.hpp) over
/// the ranks concerned: inclusive_scan() leaves the last rank with what all_reduce() gives. Without `how`,
/// best_scan() chooses the variant by the size. Both end supersteps, as broadcast() does. They throw
/// UsageError if the ranks call them with different sizes, variants or operations (reduce.hpp).
///
///     const auto first = lbsp::exclusive_scan(world, own_count, std::size_t{0}, std::plus{});
template <TransferableRange R, class Operation>
void inclusive_scan(World& world, R&& values, Operation operation, std::optional<Scan> how = {}) {
  using T = std::ranges::range_value_t<R>;
  const collectives::Vector vector = collectives::vector_of(values);
  collectives::scan(world, vector, {}, collectives::combine_with<T>(operation),
                    how.value_or(best_scan(vector.bytes.size(), world.size())));
}

template <TransferableRange R, class Operation>
void exclusive_scan(World& world, R&& values, const std::ranges::range_value_t<R>& identity,
                    Operation operation, std::optional<Scan> how = {}) {
  using T = std::ranges::range_value_t<R>;
  const std::span<T> array(values);
  std::vector<T> inclusive(array.begin(), array.end());
  std::ranges::fill(array, identity);
  const collectives::Vector vector = collectives::vector_of(inclusive);
  collectives::scan(world, vector, std::as_writable_bytes(array), collectives::combine_with<T>(operation),
                    how.value_or(best_scan(vector.bytes.size(), world.size())));
}

/// The same with one value of every rank. Returns the scan.
template <TransferableAlone T, class Operation>
T inclusive_scan(World& world, T value, Operation operation, std::optional<Scan> how = {}) {
  inclusive_scan(world, std::span(&value, 1), operation, how);
  return value;
}

template <TransferableAlone T, class Operation>
T exclusive_scan(World& world, T value, const std::type_identity_t<T>& identity, Operation operation,
                 std::optional<Scan> how = {}) {
  exclusive_scan(world, std::span(&value, 1), identity, operation, how);
  return value;
}

}  // namespace lbsp
