#pragma once

#include <span>

#include "model/superstep/block_repair.hpp"
#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

struct Prediction {
  double seconds = 0;  ///< expected, from the common begin to the end of the slowest rank
  double cost = 0;     ///< seconds plus half of what is sent beyond them; best_protection() makes it least
};

/// The time line of a receiver-driven superstep as lbsp runs it (docs/prediction.md), with one protection after
/// another. What these have in common is computed only once.
///
/// Messages take turns. Each pass sends one more copy of what is protected. What is found missing goes out
/// before anything else. The segments of a rank are taken in groups of neighbours, which are smaller towards
/// the end. For each group the schedule gives the times of its copies, of the reports that tell what lacks,
/// and of the repairs. From these follows the probability q(t) that a segment has not arrived. F(t) is the
/// product of 1-q(t) over all segments of all ranks. Coded messages are taken in blocks: q is the probability
/// that fewer segments have arrived than the block has data segments.
class Predictor {
 public:
  /// Both must outlive this.
  Predictor(const Superstep& superstep, const Protocol& protocol);

  /// `protection` has one entry for each of superstep.messages.
  ///
  /// Costs 2 µs for a few segments and small losses, 100 µs for thousands and 30 %. Throws
  /// std::invalid_argument for p outside [0, 1), k < 1, r < 0, fewer than 1 rank or segment, negative times.
  Prediction predict(std::span<const Protection> protection);

 private:
  const Superstep& superstep_;
  const Protocol& protocol_;
  BlockOutcomes outcomes_;
};

/// The prediction with one protection.
Prediction predict(const Superstep& superstep, std::span<const Protection> protection,
                   const Protocol& protocol);

}  // namespace lbsp::model::superstep
