#pragma once

#include <span>

#include "model/superstep/block_repair.hpp"
#include "model/superstep/completion.hpp"
#include "model/superstep/protocol_times.hpp"

namespace lbsp::model::superstep {

/// Messages that every rank sends in a superstep, alike in length and protection.
struct MessageKind {
  double per_rank = 1;         ///< how many of them a rank sends
  int segments = 1;            ///< m
  double segment_seconds = 0;  ///< α: a datagram, on the average of the message, over the rank's rate
  int copies = 1;              ///< k, of every protected segment
  int repair_segments = 0;     ///< r, coded segments of every protected block; then k is 1
  int first_protected = 0;     ///< segments before this one are sent once
  bool coded = false;          ///< what is lost is mended by coded segments; of several segments only
};

/// The path between any two ranks, both ways.
struct LossyPath {
  double round_trip = 0;            ///< RTT, β
  double round_trip_variation = 0;  ///< mean deviation
  double loss = 0;                  ///< p, of data and of reports
  double loss_after_loss = -1;      ///< of the copy that follows a lost one; negative: p, independent
};

/// The time line of a receiver-driven superstep as lbsp runs it (docs/prediction.md).
///
/// `kinds` are what each of `ranks` ranks sends; all begin at once. Messages take turns; each pass sends one
/// copy more of what is protected; what is found missing goes out before anything else. The segments of a
/// rank are taken in groups of neighbours, smaller towards the end. For each group the schedule gives the
/// times of its copies, of the reports that tell what lacks, and of the repairs, and so the probability q(t)
/// that a segment has not arrived; F(t) is the product of 1-q(t) over all segments of all ranks. Coded
/// messages are taken in blocks: q is the probability that fewer have arrived than the block has data
/// segments.
///
/// Costs 2 µs for a few segments and small losses, 100 µs for thousands and 30 %. Throws
/// std::invalid_argument for p outside [0, 1), k < 1, fewer than 1 rank or segment, negative times.
class CompletionTimes {
 public:
  CompletionTimes(double ranks, const LossyPath& path, const ProtocolConstants& constants = {});

  /// What one call has worked out of the path serves the next.
  CompletionTime of(std::span<const MessageKind> kinds);

 private:
  double ranks_;
  LossyPath path_;
  ProtocolConstants constants_;
  BlockOutcomes outcomes_;
};

/// One of them.
CompletionTime completion_time(double ranks, std::span<const MessageKind> kinds, const LossyPath& path,
                               const ProtocolConstants& constants = {});

}  // namespace lbsp::model::superstep
