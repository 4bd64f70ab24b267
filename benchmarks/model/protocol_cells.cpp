#include "benchmarks/model/protocol_cells.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "transport/wire/format.hpp"

namespace lbsp::bench {

using transport::Recovery;

const Grid quick_grid{
    {70}, {2, 8, 24}, {1, 10, 200}, {1, 2, 6}, {0.001, 0.01, 0.1, 0.3}, 12'000, {0.01, 300, 4000, 0.8}};
const Grid full_grid{
    {20, 70}, {2, 4, 16, 64},       {1, 2, 10, 50, 200}, {1, 2, 3, 6}, {0.001, 0.01, 0.05, 0.1, 0.3},
    50'000,   {0.01, 400, 8000, 30}};

double packets_of(const Cell& cell) {
  return static_cast<double>(cell.ranks) * (cell.ranks - 1) * cell.segments;
}

std::vector<Cell> coded_cells_of(const Grid& grid) {
  std::vector<Cell> cells;
  for (const int ranks : grid.ranks)
    for (const int segments : grid.segments)
      for (const double loss : grid.losses) {
        std::set<int> taken;
        for (const double deviations : {-1e9, 0., 1., 2., 3., 5.}) {
          Cell cell{Recovery::receiver, grid.round_trips_ms.back(), ranks, segments, 1, loss};
          if (segments == 1 || packets_of(cell) > grid.most_segments) continue;
          const int blocks = (segments - 1) / transport::most_block_segments + 1;
          const double size = static_cast<double>(segments) / blocks;
          const double spread = std::sqrt(size * loss * (1 - loss));
          const double coded = std::ceil((size * loss + deviations * spread) / (1 - loss));
          cell.coded = static_cast<int>(std::max(0., coded));
          if (taken.insert(cell.coded).second) cells.push_back(cell);
        }
      }
  return cells;
}

const char* name_of(Recovery recovery) {
  switch (recovery) {
    case Recovery::receiver:
      return "receiver";
    case Recovery::rounds:
      return "rounds";
    case Recovery::whole_round:
      return "whole-round";
  }
  return "";
}

std::string label_of(const Cell& cell) {
  return cell.coded < 0 ? name_of(cell.recovery) : fmt::format("coded r={}", cell.coded);
}

}  // namespace lbsp::bench
