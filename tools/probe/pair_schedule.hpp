#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lbsp::probe {

using Pair = std::pair<int, int>;  ///< the smaller first

/// All pairs of `hosts` hosts in the order of a round-robin tournament (the circle method): pairs that follow
/// each other have no host in common as far as that is possible, so that many are measured at a time.
std::vector<Pair> tournament(int hosts);

/// `count` of these pairs at random, in the same order; all if there are no more.
std::vector<Pair> sample_pairs(int hosts, int count, std::uint64_t seed);

}  // namespace lbsp::probe
