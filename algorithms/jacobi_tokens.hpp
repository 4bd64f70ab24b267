#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/run.hpp"

namespace lbsp::algorithms {

/// Sweeps of Jacobi's method (jacobi.hpp) over a random size × size grid (HashedMatrix 0 of the seed), whose outermost
/// points stay as they are, as a graph of tasks.
struct RelaxationTokens {
  std::size_t size = 512;  ///< at least 3
  std::size_t pieces = 8;  ///< blocks of rows, at most `size`
  std::size_t sweeps = 20;
  std::uint64_t seed = 1;

  std::vector<double> input() const;
};

/// A level that makes the pieces, and one for each sweep. A token reads its piece and the last and first row of its
/// neighbours, and writes its piece and its own first and last row. The results are grid/0 …. Throws UsageError if the
/// numbers are not as they should be.
dataflow::Graph jacobi_graph(const RelaxationTokens& relaxation);

/// The whole grid, row by row, on the rank that has the results: the same, bit for bit, in any pieces and on any ranks.
std::vector<double> jacobi_result(const dataflow::RunRecord& record, const RelaxationTokens& relaxation);

}  // namespace lbsp::algorithms
