// Multiplies two matrices as a graph of tasks. Each token multiplies a row of blocks by a column of blocks; L-HEFT
// finds its rank. lbsp run -n 4 -- blocked_product
#include <cstdio>
#include <string>

#include "lbsp/dataflow/run.hpp"
#include "lbsp/job/run.hpp"

using namespace lbsp::dataflow;

constexpr std::size_t blocks = 6, side = 64;

/// Block (row, column) of the matrix whose elements are 1 / (1 + i + j).
StreamBytes hilbert(std::size_t row, std::size_t column) {
  Outputs block(1);
  auto values = block.make<double>(0, side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      values[i * side + j] = 1. / static_cast<double>(1 + row * side + i + column * side + j);
  return block.take()[0];
}

/// The inputs are a row of blocks of A, then a column of blocks of B.
void multiply(const Inputs& in, Outputs& out) {
  auto c = out.make<double>(0, side * side);
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto a = in.values<double>(block), b = in.values<double>(blocks + block);
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t k = 0; k < side; ++k)
        for (std::size_t j = 0; j < side; ++j)
          c[i * side + j] += a[i * side + k] * b[k * side + j];
  }
}

std::string name(const char* matrix, std::size_t row, std::size_t column) {
  return std::string(matrix) + std::to_string(row) + "/" + std::to_string(column);
}

int main() {
  Graph graph;
  const auto product = graph.kernel("multiply", multiply);
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t j = 0; j < blocks; ++j) {
      graph.initial(name("A", i, j), [=] { return hilbert(i, j); });
      auto token = graph.token(name("multiply", i, j), product);
      for (std::size_t k = 0; k < blocks; ++k)
        token.reads(name("A", i, k));
      for (std::size_t k = 0; k < blocks; ++k)
        token.reads(name("A", k, j));
      token.writes(name("C", i, j));
      graph.result(name("C", i, j));
    }
  }
  return lbsp::run([&](lbsp::World& world) {
    const auto record = run(world, graph);
    if (world.rank() == 0) std::printf("the first element is %.6f\n", record.result<double>("C0/0")[0]);
  });
}
