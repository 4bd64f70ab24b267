#pragma once

#include "model/tuning/superstep_time.hpp"

namespace lbsp::model::tuning {

/// What superstep_time() estimates, by the time line of the protocol (model/superstep/time_line.hpp): within
/// a few per cent of what lbsp does, at 5 to 500 µs for losses up to 10 %; long streams are continued from
/// shorter ones. The expected seconds from the moment when all begin to that when the last has all.
///
/// Of coded messages that take longer to send than a round trip, either all is protected or only what goes in
/// the last round trip; the better counts, as lbsp's planner would choose.
///
/// Throws std::invalid_argument as superstep_time() does.
double superstep_line_seconds(const ProgramStep& step, double nodes, const PacketPath& path,
                              const Protection& protection);

}  // namespace lbsp::model::tuning
