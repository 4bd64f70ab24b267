#include "algorithms/matmul_tokens.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "algorithms/hashed_matrix.hpp"
#include "algorithms/local_product.hpp"
#include "lbsp/partition.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using dataflow::Inputs;
using dataflow::Outputs;

Range part(const ProductTokens& product, std::size_t index) {
  return part_of(product.size, static_cast<int>(product.blocks), static_cast<int>(index));
}

std::string name(char matrix, std::size_t row, std::size_t column) {
  return fmt::format("{}/{}/{}", matrix, row, column);
}

dataflow::StreamBytes random_block(const ProductTokens& product, std::uint64_t number, std::size_t row,
                                   std::size_t column) {
  const HashedMatrix matrix(product.seed, number);
  const Range rows = part(product, row);
  const Range columns = part(product, column);
  Outputs block(1);
  auto values = block.make<double>(0, rows.count * columns.count);
  for (std::size_t i = 0; i < rows.count; ++i)
    for (std::size_t j = 0; j < columns.count; ++j)
      values[i * columns.count + j] = matrix.at<double>(rows.begin + i, columns.begin + j);
  return std::move(block.take().front());
}

/// Reads a block of A, one of B and, after the first level, the sum so far. Its numbers are the sides of the product.
void add_blocks(const Inputs& in, Outputs& out) {
  const auto side = [&](std::size_t which) { return static_cast<std::size_t>(in.number(which)); };
  const ProductShape shape{side(0), side(1), side(2)};
  auto c = out.make<double>(0, shape.rows * shape.columns);
  if (in.count() == 3) std::ranges::copy(in.values<double>(2), c.begin());
  add_product<double>(shape, in.values<double>(0), in.values<double>(1), c);
}

}  // namespace

dataflow::Graph matmul_graph(const ProductTokens& product) {
  if (product.blocks == 0 || product.blocks > product.size) {
    throw UsageError(fmt::format("{} blocks of {} rows: give at least 1 and at most as many as rows",
                                 product.blocks, product.size));
  }
  dataflow::Graph graph;
  const auto first = graph.kernel("multiply", add_blocks);
  const auto later = graph.kernel("multiply and add", add_blocks);
  const auto sum = [&](std::size_t i, std::size_t j, std::size_t level) {
    return level + 1 == product.blocks ? name('C', i, j) : fmt::format("{}+{}", name('C', i, j), level);
  };
  const auto count = [&](std::size_t index) { return part(product, index).count; };
  for (std::size_t i = 0; i < product.blocks; ++i) {
    for (std::size_t j = 0; j < product.blocks; ++j) {
      const std::uint64_t bytes = count(i) * count(j) * sizeof(double);
      graph.initial(
          name('A', i, j), [=] { return random_block(product, 0, i, j); }, bytes);
      graph.initial(
          name('B', i, j), [=] { return random_block(product, 1, i, j); }, bytes);
      for (std::size_t k = 0; k < product.blocks; ++k) {
        auto token = graph.token(fmt::format("{}/{}/{}", i, j, k), k == 0 ? first : later);
        token.with({static_cast<std::int64_t>(count(i)), static_cast<std::int64_t>(count(k)),
                    static_cast<std::int64_t>(count(j))});
        token.reads(name('A', i, k)).reads(name('B', k, j));
        if (k > 0) token.reads(sum(i, j, k - 1));
        token.writes(sum(i, j, k), bytes);
      }
      graph.result(name('C', i, j));
    }
  }
  return graph;
}

std::vector<double> matmul_result(const dataflow::RunRecord& record, const ProductTokens& product) {
  std::vector<double> whole(product.size * product.size);
  for (std::size_t i = 0; i < product.blocks; ++i) {
    for (std::size_t j = 0; j < product.blocks; ++j) {
      const auto block = record.result<double>(name('C', i, j));
      const Range rows = part(product, i);
      const Range columns = part(product, j);
      for (std::size_t row = 0; row < rows.count; ++row) {
        std::ranges::copy(
            block.subspan(row * columns.count, columns.count),
            whole.begin() + static_cast<std::ptrdiff_t>((rows.begin + row) * product.size + columns.begin));
      }
    }
  }
  return whole;
}

}  // namespace lbsp::algorithms
