#pragma once

#include "model/superstep/superstep.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// The superstep of a leg, as a rank takes it to be that knows its own messages only: all others send alike,
/// every path is as its own are on average, but the round trip is that of the farthest peer, for which the
/// superstep waits. One entry for each message. Assumes at least one message.
model::superstep::Superstep superstep_of(const transport::LegOutline& leg);

/// One path. That losses follow losses is believed once 20 were seen, and if it is more than two deviations
/// from chance.
model::superstep::Path path_of(const transport::PathForecast& path);

int segments_of(const transport::PlannedMessage& message);

}  // namespace lbsp::plan
