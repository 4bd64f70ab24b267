#pragma once

#include <span>

#include "model/superstep/block_repair.hpp"
#include "model/superstep/completion.hpp"
#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

struct Prediction {
  double seconds = 0;  ///< expected, from the common begin to the end of the slowest rank
  /// best_protection() makes it least: what each of many such supersteps takes with superstep.pause between them. If
  /// that is not known, seconds plus half of what is sent beyond them.
  double cost = 0;
  double sent = 0;  ///< seconds of sending, with what is sent again
};

/// The time line of a receiver-driven superstep as lbsp runs it (docs/prediction.md).
///
/// Messages take turns. Each pass sends one more copy of what is protected. What is found missing goes out
/// before anything else. The segments of a rank are taken in groups of neighbours, which are smaller towards
/// the end. For each group the schedule gives the times of its copies, of the reports that tell what lacks,
/// and of the repairs. From these follows the probability q(t) that a segment has not arrived. F(t) is the
/// product of 1-q(t) over all segments of all ranks. Coded messages are taken in blocks: q is the probability
/// that fewer segments have arrived than the block has data segments.
///
/// `protection` has one entry for each of superstep.messages. `outcomes` are those of the same path and rule; they
/// serve further predictions too.
///
/// Costs 2 µs for a few segments and small losses, 100 µs for thousands and 30 %. Throws
/// std::invalid_argument for p outside [0, 1), k < 1, r < 0, fewer than 1 rank or segment, negative times.
Prediction predict(const Superstep& superstep, std::span<const Protection> protection,
                   const Protocol& protocol, BlockOutcomes& outcomes);
Prediction predict(const Superstep& superstep, std::span<const Protection> protection,
                   const Protocol& protocol);

/// The error of the mean that predict() gives, relative: the median over benchmarks/model/protocol_grid.cpp.
inline constexpr double usual_error = 0.006;
/// Within which nine of ten of these cells' means are. An estimate of a whole run on a network is one cell's.
inline constexpr double likely_error = 0.028;

/// How the same superstep's time varies from one time to the next, as losses fall. The interval holds `share` of all,
/// from 0 to 1, and is longer by the usual error of the mean on either side.
Spread predict_spread(const Superstep& superstep, std::span<const Protection> protection,
                      const Protocol& protocol, double share);

/// No prediction is shorter: by then a rank has sent each segment once, of all coded segments those that are not its
/// last ones, and the repairs of earlier blocks for which these cannot be enough. Where little else is sent again it
/// is close. Needs no time line.
double least_seconds(const Superstep& superstep, std::span<const Protection> protection,
                     const Protocol& protocol, BlockOutcomes& outcomes);

}  // namespace lbsp::model::superstep
