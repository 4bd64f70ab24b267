#pragma once

#include <span>

#include "model/superstep/block_repair.hpp"
#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

struct Prediction {
  double seconds = 0;  ///< expected, from the common begin to the end of the slowest rank
  double cost = 0;     ///< what best_protection() makes least: and half of what is sent beyond them
};

/// What a superstep takes, with one protection after the other: what they have in common is worked out once.
class Predictor {
 public:
  Predictor(const Superstep& superstep, const Protocol& protocol);

  /// With a protection for each of superstep.messages. Throws as completion_time() does.
  Prediction predict(std::span<const Protection> protection);

 private:
  const Superstep& superstep_;
  const Protocol& protocol_;
  BlockOutcomes outcomes_;
};

/// With one.
Prediction predict(const Superstep& superstep, std::span<const Protection> protection,
                   const Protocol& protocol);

}  // namespace lbsp::model::superstep
