#pragma once

#include <string>
#include <vector>

#include "model/paper/table2.hpp"
#include "model/pmm/prediction.hpp"

namespace lbsp::model::pmm {

/// A row of the paper's Table 3: a cluster's rates, and the coefficients of T = square · M² + cube · M³.
struct Table3Row {
  std::string cluster;
  double nodes = 1;
  double cores_per_node = 1;
  Broadcast broadcast = Broadcast::flat;
  Rates rates;
  paper::PrintedAndComputed square;  ///< seconds per M²
  paper::PrintedAndComputed cube;    ///< seconds per M³
  std::string misprint;              ///< what in the print cannot be right; empty where all of it can
};

/// Table 3 computed from its rates by equations 5 and 9. Where the print differs by more than 0.2 %, `misprint` says
/// what it is instead.
std::vector<Table3Row> table3();

}  // namespace lbsp::model::pmm
