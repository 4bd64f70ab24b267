#pragma once

#include <vector>

#include "algorithms/block_matrix.hpp"
#include "algorithms/local_product.hpp"
#include "lbsp/world.hpp"
#include "tools/programs/matmul/matmul_arguments.hpp"

namespace lbsp::programs::matmul {

/// The two matrices that matmul multiplies: everyone's blocks, and on rank 0 the whole of them, if they come
/// from files or the product is to be verified there.
template <class T>
struct MatmulFactors {
  algorithms::BlockMatrix<T> a;
  algorithms::BlockMatrix<T> b;
  std::vector<T> whole_a;
  std::vector<T> whole_b;

  algorithms::ProductShape shape() const { return {a.layout.rows, a.layout.columns, b.layout.columns}; }
};

/// Makes them from the seed, with no message, or has rank 0 read and deal out the files, in two supersteps.
/// T is float or double. All ranks call it together. Throws UsageError, on rank 0 alone where a file is
/// wrong.
template <class T>
MatmulFactors<T> make_factors(World& world, const MatmulArguments& arguments);

}  // namespace lbsp::programs::matmul
