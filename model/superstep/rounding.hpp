#pragma once

#include <cstddef>

#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// What a plan depends on, rounded so that supersteps that differ by little are the same one and need to be
/// planned once: losses to 10 %, times to 2 %, lengths beyond 16 segments to 10 %; at most four lengths. The
/// messages are then ordered by length, shortest first, and take as long to send as before.
Superstep rounded(const Superstep& superstep);

/// A rounded superstep of long messages, rounded further, for the choice of a protection, which takes long
/// and changes little with any of it: losses to 30 %, times to 25 %.
Superstep coarse(Superstep superstep);

/// Whether a protection chosen for one suits the other: as many messages, as long, and losses and times that
/// differ by no more than 20 %. Measured ones move so from one superstep to the next, back and forth over the
/// borders of rounding.
bool nearly_alike(const Superstep& a, const Superstep& b);

/// One path, as in a rounded superstep.
Path rounded(const Path& path);

/// The place in `superstep`.messages of the kind to which a message of so many segments belongs: the one of
/// the nearest length. A message of one segment, which has no block, is of its own kind.
std::size_t kind_of(const Superstep& superstep, int segments);

struct SuperstepHash {
  std::size_t operator()(const Superstep& superstep) const;
};

}  // namespace lbsp::model::superstep
