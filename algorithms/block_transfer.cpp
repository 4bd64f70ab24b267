#include "algorithms/block_transfer.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

struct Size {
  std::uint64_t rows;
  std::uint64_t columns;
};

/// The rectangle `rank` owns of a matrix held whole, and the same rectangle as a block by itself.
template <class T>
void copy_out(const WholeMatrix<T>& matrix, Range rows, Range columns, std::vector<T>& block) {
  block.resize(rows.count * columns.count);
  auto to = block.begin();
  for (std::size_t row = rows.begin; row < rows.end(); ++row) {
    to =
        std::ranges::copy(matrix.values.subspan(row * matrix.columns + columns.begin, columns.count), to).out;
  }
}

template <class T>
void copy_in(std::span<const T> block, const BlockLayout& layout, Rank owner, std::vector<T>& whole) {
  const Range rows = layout.rows_of(owner);
  const Range columns = layout.columns_of(owner);
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto to =
        whole.begin() + static_cast<std::ptrdiff_t>((rows.begin + row) * layout.columns + columns.begin);
    std::ranges::copy(block.subspan(row * columns.count, columns.count), to);
  }
}

template <class T>
void send_blocks(const WholeMatrix<T>& matrix, const BlockLayout& layout, Queue<T, Size>& queue, Rank ranks) {
  std::vector<T> block;
  for (Rank to = 1; to < ranks; ++to) {
    copy_out(matrix, layout.rows_of(to), layout.columns_of(to), block);
    queue.send(to, {matrix.rows, matrix.columns}, block);
  }
}

}  // namespace

template <class T>
BlockMatrix<T> distribute(World& world, const WholeMatrix<T>& matrix) {
  Queue<T, Size> queue(world);
  if (world.rank() == 0) {
    if (matrix.values.size() != matrix.rows * matrix.columns) {
      throw UsageError(fmt::format("a matrix of {} x {} was given {} elements: give all of them, row by row",
                                   matrix.rows, matrix.columns, matrix.values.size()));
    }
    BlockMatrix<T> own(world, matrix.rows, matrix.columns);
    send_blocks(matrix, own.layout, queue, world.size());
    world.sync();
    copy_out(matrix, own.rows, own.columns, own.values);
    return own;
  }
  world.sync();
  const auto message = queue[0];
  BlockMatrix<T> block(world, message.tag().rows, message.tag().columns);
  block.values.assign(message.values().begin(), message.values().end());
  return block;
}

template <class T>
std::vector<T> gather(World& world, const BlockMatrix<T>& block) {
  check_block(block);
  world.agree(block.layout.rows);
  world.agree(block.layout.columns);
  Queue<T> queue(world);
  if (world.rank() != 0) queue.send(0, 0, block.values);
  world.sync();
  if (world.rank() != 0) return {};

  std::vector<T> whole(block.layout.rows * block.layout.columns);
  copy_in<T>(block.values, block.layout, 0, whole);
  for (const auto message : queue)
    copy_in<T>(message.values(), block.layout, message.source(), whole);
  return whole;
}

template BlockMatrix<float> distribute(World&, const WholeMatrix<float>&);
template BlockMatrix<double> distribute(World&, const WholeMatrix<double>&);
template std::vector<float> gather(World&, const BlockMatrix<float>&);
template std::vector<double> gather(World&, const BlockMatrix<double>&);

}  // namespace lbsp::algorithms
