#include "tools/programs/matmul/matmul_factors.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "algorithms/block_transfer.hpp"
#include "algorithms/hashed_matrix.hpp"
#include "tools/programs/npy.hpp"
#include "transport/error.hpp"

namespace lbsp::programs::matmul {
namespace {

using algorithms::HashedMatrix;
using algorithms::WholeMatrix;

template <class T>
NpyArray<T> read_matrix(const std::string& path) {
  NpyArray<T> array = read_npy<T>(path, 2);
  if (!array.values.empty()) return array;
  throw UsageError(fmt::format("{} holds a matrix of {} x {}: give one with at least one row and column",
                               path, array.shape[0], array.shape[1]));
}

template <class T>
MatmulFactors<T> read_factors(World& world, const MatmulArguments& arguments) {
  NpyArray<T> a;
  NpyArray<T> b;
  if (world.rank() == 0) {
    a = read_matrix<T>(arguments.a);
    b = read_matrix<T>(arguments.b);
    if (a.shape[1] != b.shape[0]) {
      throw UsageError(fmt::format("{} is {} x {} and {} is {} x {}: give a second matrix of {} rows",
                                   arguments.a, a.shape[0], a.shape[1], arguments.b, b.shape[0], b.shape[1],
                                   a.shape[1]));
    }
  } else {
    a.shape = b.shape = {0, 0};
  }
  auto own_a = distribute(world, WholeMatrix<T>{a.shape[0], a.shape[1], a.values});
  auto own_b = distribute(world, WholeMatrix<T>{b.shape[0], b.shape[1], b.values});
  return {std::move(own_a), std::move(own_b), std::move(a.values), std::move(b.values)};
}

template <class T>
std::vector<T> make_whole(const HashedMatrix& elements, std::size_t size) {
  std::vector<T> whole(size * size);
  for (std::size_t i = 0; i < whole.size(); ++i)
    whole[i] = elements.at<T>(i / size, i % size);
  return whole;
}

template <class T>
MatmulFactors<T> make_random_factors(World& world, const MatmulArguments& arguments) {
  const std::size_t size = arguments.size;
  const HashedMatrix elements_of_a(arguments.seed, 0);
  const HashedMatrix elements_of_b(arguments.seed, 1);
  MatmulFactors<T> factors{{world, size, size}, {world, size, size}, {}, {}};
  factors.a.fill([&](std::size_t i, std::size_t j) { return elements_of_a.at<T>(i, j); });
  factors.b.fill([&](std::size_t i, std::size_t j) { return elements_of_b.at<T>(i, j); });
  if (world.rank() == 0 && arguments.verifies({size, size, size})) {
    factors.whole_a = make_whole<T>(elements_of_a, size);
    factors.whole_b = make_whole<T>(elements_of_b, size);
  }
  return factors;
}

}  // namespace

template <class T>
MatmulFactors<T> make_factors(World& world, const MatmulArguments& arguments) {
  return arguments.from_files() ? read_factors<T>(world, arguments)
                                : make_random_factors<T>(world, arguments);
}

template MatmulFactors<float> make_factors(World&, const MatmulArguments&);
template MatmulFactors<double> make_factors(World&, const MatmulArguments&);

}  // namespace lbsp::programs::matmul
