#pragma once

#include "model/critical_path/message_cost.hpp"

namespace lbsp::calibration {

/// f(v): what a message of v bytes takes by all models but lossy BSP: half of the round trip, and its bytes at the
/// rate at which a rank sends, in bytes per second. 0 is a round trip or rate that was not measured, as between ranks
/// of one host, and takes no time.
inline model::critical_path::MessageCost message_cost(double round_trip, double rate) {
  return model::critical_path::MessageCost::linear(round_trip / 2, rate > 0 ? 1 / rate : 0);
}

}  // namespace lbsp::calibration
