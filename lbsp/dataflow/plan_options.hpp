#pragma once

#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow {

/// How levels are mapped to workers.
struct MapOptions {
  bool weigh_fetches =
      true;  ///< the choice of a worker knows what fetching costs; false: as the paper prints it
  bool rebalance = true;
};

/// How times of tokens are predicted.
struct PredictionOptions {
  int newest_permille = 900;  ///< α: the weight of the newest measurement, in thousandths
  Ticks guess = 1'000'000;    ///< for a token whose kernel nobody has run yet
};

}  // namespace lbsp::dataflow
