#include "model/superstep/protocol.hpp"

#include <algorithm>

namespace lbsp::model::superstep {

ProtocolTimes ProtocolTimes::of(double round_trip, double variation, const Protocol& protocol) {
  const Timing& timing = protocol.timing;
  ProtocolTimes times{};
  times.reordering_window = timing.reordering_window.of(round_trip);
  times.report_interval = timing.report_interval.of(round_trip);
  times.acknowledgement_delay = timing.acknowledgement_delay.of(round_trip);
  times.copy_spacing = timing.copy_spacing.of(round_trip);
  times.loss_delay = timing.loss_delay_share * round_trip + timing.loss_delay_slack;
  times.probe_timeout =
      round_trip + std::max(4 * variation, timing.timer_granularity) + times.acknowledgement_delay;
  return times;
}

}  // namespace lbsp::model::superstep
