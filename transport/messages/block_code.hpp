#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transport/bytes.hpp"

namespace lbsp::transport {

/// The erasure code of a block: systematic, over GF(2^8), from a Cauchy matrix, all of whose square parts can
/// be inverted. So any m of the segments and coded segments of a block of m segments restore it.
/// Coded segment i is the sum over the segments j of c(i, j) · segment j, with c(i, j) = 1 / ((128 + i) ⊕ j):
/// it does not depend on how many are sent. (J. Blömer et al., "An XOR-based erasure-resilient coding
/// scheme", ICSI TR-95-048; the arithmetic is ISA-L's.)
///
/// All segments have the same length, except that the last may be shorter: it counts as if zeros followed.

/// Writes coded segment `index` (below most_repair_segments) of the block. `coded` has the length of the
/// first segment.
void encode_segment(std::span<const std::span<const std::byte>> segments, int index,
                    std::span<std::byte> coded);

/// A coded segment that has arrived.
struct CodedSegment {
  int index = 0;
  Bytes bytes;
};

/// Restores the segments `missing` (ascending, at most as many as there are coded ones) in place: every
/// other segment has arrived, and `segments[j]` is where each belongs. `coded` is used up.
void decode_segments(std::span<const std::span<std::byte>> segments, std::span<const std::uint32_t> missing,
                     std::vector<CodedSegment>& coded);

}  // namespace lbsp::transport
