#pragma once

#include "model/superstep/protocol.hpp"

namespace lbsp::plan {

/// The protocol as lbsp runs it, which the model is told: the transport's limits, the heads of the wire
/// format and of the runtime's messages, and the planner's repairs: so many segments that as many as lack
/// arrive with a probability of 98 %, the second time 99.5 %.
const model::superstep::Protocol& protocol();

}  // namespace lbsp::plan
