#pragma once

#include <vector>

#include "transport/units.hpp"

namespace lbsp::algorithms {

/// One merge step of Batcher's bitonic sort, as one rank sees it.
struct BitonicStep {
  Rank partner = 0;
  bool keeps_first = false;  ///< whether it keeps the first part of both blocks together, or the rest

  friend bool operator==(const BitonicStep&, const BitonicStep&) = default;
};

/// The steps of one rank: L(L+1)/2 on every rank, L = log2 P. In step j = S … 1 of stage S = 1 … L a rank's
/// partner is its own number with bit j-1 complemented.
///
/// Throws UsageError if `ranks` is not a power of two; it names the powers of two next to it. Source:
/// Batcher, AFIPS 1968; the L-BSP paper's section 5.
std::vector<BitonicStep> bitonic_schedule(Rank rank, Rank ranks);

}  // namespace lbsp::algorithms
