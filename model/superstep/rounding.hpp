#pragma once

#include <cstddef>

#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// Rounds what a plan depends on, so that supersteps that differ by little become the same one and are
/// planned only once: losses to 10 %, times to 2 %, lengths beyond 16 segments to 10 %, and at most four
/// lengths. The messages are then ordered by length, shortest first, and take as long to send as before.
Superstep rounded(const Superstep& superstep);

/// Rounds a rounded superstep of long messages further, to choose a protection: losses to 30 %, times to 25
/// %. That choice takes long, and changes little with any of these.
Superstep coarse(Superstep superstep);

/// Whether a protection chosen for one suits the other: they have the same number of messages of the same
/// lengths, and losses and times that differ by at most 20 %. Measured ones move by so much from one
/// superstep to the next, back and forth over the borders of rounding.
bool nearly_alike(const Superstep& a, const Superstep& b);

/// Whether neither is more than `factor` times the other.
inline bool within(double a, double b, double factor) {
  return a <= b * factor && b <= a * factor;
}

/// Rounds one path, as in a rounded superstep.
Path rounded(const Path& path);

/// The place in `superstep`.messages of the kind to which a message of `segments` segments belongs: the one
/// of the nearest length. A message of one segment has no block, and is a kind of its own.
std::size_t kind_of(const Superstep& superstep, int segments);

}  // namespace lbsp::model::superstep
