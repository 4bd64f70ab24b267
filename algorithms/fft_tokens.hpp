#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/run.hpp"

namespace lbsp::algorithms {

/// The Fourier transform of `points` random complex values (HashedMatrix 0 and 1 of the seed) as a graph of tasks.
struct TransformTokens {
  std::size_t points = std::size_t{1} << 20;  ///< a multiple of `pieces`
  std::size_t pieces = 8;                     ///< a power of two
  std::uint64_t seed = 1;

  std::vector<std::complex<double>> input() const;
};

/// A level in which each token transforms every pieces-th value, and log2(pieces) levels of butterflies, each of which
/// reads two pieces of the level above and writes one: (log2(pieces) + 1) · pieces tokens, decimation in time (Cooley
/// and Tukey, 1965). The results are X/0 …, in order. Throws UsageError if the numbers are not as they should be.
dataflow::Graph fft_graph(const TransformTokens& transform);

/// The whole transform, on the rank that has the results.
std::vector<std::complex<double>> fft_result(const dataflow::RunRecord& record,
                                             const TransformTokens& transform);

}  // namespace lbsp::algorithms
