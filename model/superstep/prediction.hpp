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

/// Predicts a superstep with one protection after another. It computes only once what they have in common.
class Predictor {
 public:
  Predictor(const Superstep& superstep, const Protocol& protocol);

  /// `protection` has one entry for each of superstep.messages. Throws as completion_time() does.
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
