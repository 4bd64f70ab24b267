#include "algorithms/halo_exchange.hpp"

#include <algorithm>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

/// Steps from one range to the other: 0 if they overlap, 1 if they touch.
std::size_t steps(Range a, Range b) {
  if (a.begin > b.begin) std::swap(a, b);
  return b.begin < a.end() ? 0 : b.begin - (a.end() - 1);
}

/// Steps up, down, left and right from one block to the other.
std::size_t steps(const Rectangle& a, const Rectangle& b) {
  return steps(a.rows, b.rows) + steps(a.columns, b.columns);
}

Rectangle wanted(const GridBlock& grid, const Rectangle& halo, HaloExchange::Points points) {
  return points == HaloExchange::Points::all ? halo : common(halo, grid.blocks.interior());
}

std::ptrdiff_t place(const GridBlock& grid, const Rectangle& rectangle, std::size_t row) {
  return static_cast<std::ptrdiff_t>(grid.place(row, rectangle.columns.begin));
}

}  // namespace

HaloExchange::HaloExchange(World& world, const GridBlock& grid) : queue_(world) {
  const GridBlocks& blocks = grid.blocks;
  for (const std::size_t value :
       {blocks.rows, blocks.columns, static_cast<std::size_t>(blocks.down), grid.halo})
    world.agree(value);
  for (Rank step = 1; step < world.size(); ++step) {
    const Rank rank = (world.rank() + step) % world.size();
    const Rectangle block = blocks.of_rank(rank);
    if (block.empty() || grid.own.empty() || steps(block, grid.own) > grid.halo) continue;
    neighbours_.push_back(
        {rank, common(grid.own, blocks.around(block, grid.halo)), common(block, grid.stored)});
  }
}

void HaloExchange::send(const GridBlock& grid, Points points) {
  for (const Neighbour& neighbour : neighbours_) {
    const Rectangle part = wanted(grid, neighbour.theirs, points);
    if (part.empty()) continue;
    auto packed = queue_.send_in_place(neighbour.rank, points, part.elements()).begin();
    for (std::size_t row = part.rows.begin; row < part.rows.end(); ++row)
      packed = std::copy_n(grid.values.begin() + place(grid, part, row), part.columns.count, packed);
  }
}

void HaloExchange::receive(GridBlock& grid) const {
  for (const auto message : queue_) {
    const auto neighbour = std::ranges::find(neighbours_, message.source(), &Neighbour::rank);
    const Rectangle part = wanted(grid, neighbour->ours, message.tag());
    const auto values = message.values();
    for (std::size_t row = 0; row < part.rows.count; ++row) {
      std::ranges::copy(values.subspan(row * part.columns.count, part.columns.count),
                        grid.values.begin() + place(grid, part, part.rows.begin + row));
    }
  }
}

}  // namespace lbsp::algorithms
