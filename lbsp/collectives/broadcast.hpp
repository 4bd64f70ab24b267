#pragma once

#include <optional>
#include <ranges>
#include <span>

#include "lbsp/collectives/choice.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/collectives/variants.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

namespace collectives {
void broadcast(World& world, const Vector& values, Rank root, Broadcast how);
}

/// Gives all ranks the root's values, in place. Every rank calls it with an array of the same size. Without
/// `how`, best_broadcast() chooses the variant by the size.
///
/// Like every collective, it ends one superstep or several; variants.hpp says what each variant costs. In a
/// world of one rank it ends none. So what the caller has put or sent before arrives with it, and the
/// messages in the caller's queues are gone. Throws UsageError if the ranks call it with different sizes,
/// roots or variants.
///
///     std::vector<double> table(1000);
///     if (world.rank() == 0) fill(table);
///     lbsp::broadcast(world, table);
template <TransferableRange R>
void broadcast(World& world, R&& values, Rank root = 0, std::optional<Broadcast> how = {}) {
  const collectives::Vector vector = collectives::vector_of(values);
  collectives::broadcast(world, vector, root,
                         how.value_or(best_broadcast(vector.bytes.size(), world.size())));
}

/// The same of one value.
template <Transferable T>
requires(!std::ranges::range<T>) void broadcast(World& world, T& value, Rank root = 0,
                                                std::optional<Broadcast> how = {}) {
  broadcast(world, std::span(&value, 1), root, how);
}

}  // namespace lbsp
