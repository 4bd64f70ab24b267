#pragma once

#include "model/superstep/superstep.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// The superstep of a leg, as a rank takes it to be that knows its own messages only: all others send alike,
/// every path is as its own are on average, but the round trip is that of the farthest peer, for which the
/// superstep waits. One entry for each message. Assumes at least one message.
model::superstep::Superstep superstep_of(const transport::LegOutline& leg);

/// The same for the time that it takes. Short messages meet no queue that has left since, as one that long messages
/// had filled, although round trips are still longer in the mean.
model::superstep::Superstep superstep_to_forecast(const transport::LegOutline& leg);

/// The superstep for which what is sent in advance is chosen: as if nothing waited in queues, which that may fill
/// itself. It has the round trip that paths have without them, in the mean of all to other hosts, and the pause before
/// the next superstep. A message to a rank of the same host, which goes beside the others, only counts if none of these
/// has its length. With long messages it is superstep_of().
model::superstep::Superstep superstep_without_queues(const transport::LegOutline& leg);

/// One path. That losses follow losses is believed once 20 were seen, and if it is more than two deviations
/// from chance.
model::superstep::Path path_of(const transport::PathForecast& path);

int segments_of(const transport::PlannedMessage& message);

}  // namespace lbsp::plan
