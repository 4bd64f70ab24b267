#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/paper/packets_per_superstep.hpp"

namespace lbsp::model::paper {

/// One line of a figure: the inputs and the speedup for each kind of c(n).
struct FigurePoint {
  double loss;
  double nodes;
  int copies;
  std::optional<double> work_seconds;  ///< none in figure 7, whose model has no costs
  std::array<double, all_packets_per_superstep.size()> speedup;
};

/// What a figure varies within one curve.
enum class FigureAxis { nodes, loss, copies, work };

struct Figure {
  int number;
  const char* title;
  FigureAxis axis;
  std::vector<FigurePoint> points;
};

/// The paper's figures 7 to 12, computed. 7 is the conceptual model with k = 2; 8 to 12 are equation (6) with
/// α of 65536 bytes at 17.5e6 bytes/s and β = 69 ms, the one complete set of large packets in Table II. The
/// paper prints neither constants nor grids for its figures; these are this project's choice. Throws
/// std::invalid_argument for another number.
Figure figure(int number);

}  // namespace lbsp::model::paper
