#pragma once

#include <cstddef>
#include <vector>

#include "model/superstep/time_line.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// Messages of about the same length.
struct ShapeKind {
  int segments = 1;
  int messages = 1;            ///< of one rank
  double segment_seconds = 0;  ///< a datagram at the rank's rate

  friend bool operator==(const ShapeKind&, const ShapeKind&) = default;
};

/// What a plan depends on, rounded so that supersteps that differ by little are the same one and need to be
/// planned once: losses to 10 %, times to 2 %, lengths beyond 16 segments to 10 %.
struct SuperstepShape {
  transport::Recovery recovery = transport::Recovery::receiver;
  int ranks = 1;
  double loss = 0;
  double loss_after_loss = 0;
  double round_trip = 0;  ///< of the farthest peer: the superstep waits for it
  double round_trip_variation = 0;
  std::vector<ShapeKind> kinds;  ///< by length, shortest first

  model::superstep::LossyPath path() const {
    return {round_trip, round_trip_variation, loss, loss_after_loss};
  }
  /// The index of the kind to which a message of so many segments belongs.
  std::size_t kind_of(int segments) const;

  friend bool operator==(const SuperstepShape&, const SuperstepShape&) = default;
};

struct ShapeHash {
  std::size_t operator()(const SuperstepShape& shape) const;
};

/// The shape of a superstep in which all ranks send as this one does. Assumes at least one message.
SuperstepShape shape_of(const transport::LegOutline& leg);

/// The shape of long messages rounded further, for the choice of a protection, which takes long and changes
/// little with any of it: losses to 30 %, times to 25 %.
SuperstepShape coarse(SuperstepShape shape);

/// Whether a plan for one suits the other: as many messages, as long, and losses and times that differ by no
/// more than 20 %. Measured ones move so from one superstep to the next, back and forth over the borders of
/// rounding.
bool nearly_alike(const SuperstepShape& a, const SuperstepShape& b);

/// The rounded loss of one path, as in a shape.
double rounded_loss(double loss);
/// That of the next datagram after a lost one; the loss itself, if too little is known or it hardly differs.
double rounded_loss_after_loss(const transport::PathForecast& path);

}  // namespace lbsp::plan
