#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/run.hpp"

namespace lbsp::algorithms {

/// The product of two random size × size matrices (HashedMatrix 0 and 1 of the seed) as a graph of tasks.
struct ProductTokens {
  std::size_t size = 1024;
  std::size_t blocks = 8;  ///< a side of each matrix is cut into so many, at most `size`
  std::uint64_t seed = 1;
};

/// blocks³ tokens in as many levels as there are blocks: level k adds A(i,k) · B(k,j) to C(i,j). The blocks of A and B
/// are made where they are needed; one of C moves only where its rank changes. The results are C/i/j. Throws UsageError
/// if there are no blocks, or more than rows.
dataflow::Graph matmul_graph(const ProductTokens& product);

/// The whole product, row by row, on the rank that has the results.
std::vector<double> matmul_result(const dataflow::RunRecord& record, const ProductTokens& product);

}  // namespace lbsp::algorithms
