#pragma once

#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow {

/// How levels are mapped to workers.
struct MapOptions {
  bool weigh_fetches =
      true;  ///< the choice of a worker knows what fetching costs; false: as the paper prints it
  bool rebalance = true;
  /// Of the tokens of a level that read nothing that was produced, each worker gets consecutive ones, where that makes
  /// none of them longer: tokens that stand next to each other often read each other's streams later. The paper's way
  /// deals them out in turns.
  bool neighbours_together = false;
};

/// How times of tokens are predicted.
struct PredictionOptions {
  int newest_permille = 900;  ///< α: the weight of the newest measurement, in thousandths
  Ticks guess = 1'000'000;    ///< for a token whose kernel nobody has run yet
};

}  // namespace lbsp::dataflow
