#include "algorithms/block_transfer.hpp"

#include <utility>

namespace lbsp::algorithms {
namespace {

/// The world's grid is made before anything is sent, so that a number of ranks that is no square is refused
/// at once on all of them.
RectangleOf block_of(const World& world) {
  return [grid = SquareGrid(world.size())](std::size_t rows, std::size_t columns, Rank rank) {
    const BlockLayout layout{rows, columns, grid};
    return Rectangle{layout.rows_of(rank), layout.columns_of(rank)};
  };
}

}  // namespace

template <class T>
BlockMatrix<T> distribute(World& world, const WholeMatrix<T>& matrix) {
  DealtRectangle<T> dealt = deal(world, matrix, block_of(world));
  BlockMatrix<T> block(world, dealt.rows, dealt.columns);
  block.values = std::move(dealt.values);
  return block;
}

template <class T>
std::vector<T> gather(World& world, const BlockMatrix<T>& block) {
  check_block(block);
  return collect<T>(world, {block.layout.rows, block.layout.columns, block.values}, block_of(world));
}

template BlockMatrix<float> distribute(World&, const WholeMatrix<float>&);
template BlockMatrix<double> distribute(World&, const WholeMatrix<double>&);
template std::vector<float> gather(World&, const BlockMatrix<float>&);
template std::vector<double> gather(World&, const BlockMatrix<double>&);

}  // namespace lbsp::algorithms
