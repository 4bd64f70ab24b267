#pragma once

#include <string>
#include <vector>

#include "benchmarks/model/simulated_supersteps.hpp"
#include "transport/options.hpp"

namespace lbsp::bench {

struct Cell {
  transport::Recovery recovery = transport::Recovery::receiver;
  int round_trip_ms = 70;
  int ranks = 2;
  int segments = 1;
  int copies = 1;
  double loss = 0;
  int coded = -1;  ///< r, with coded repair; less than 0: without
};

struct Grid {
  std::vector<int> round_trips_ms;
  std::vector<int> ranks;
  std::vector<int> segments;
  std::vector<int> copies;
  std::vector<double> losses;
  double most_segments;  ///< of all ranks in a superstep
  Effort effort;
};

extern const Grid quick_grid;
extern const Grid full_grid;

/// That all ranks send in a superstep.
double packets_of(const Cell& cell);

/// Blocks without coded segments, with as many as losses take on average, and with 1, 2, 3 and 5 deviations
/// more, where the planner's choice lies.
std::vector<Cell> coded_cells_of(const Grid& grid);

const char* name_of(transport::Recovery recovery);
std::string label_of(const Cell& cell);

}  // namespace lbsp::bench
