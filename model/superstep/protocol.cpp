#include "model/superstep/protocol.hpp"

#include <algorithm>

namespace lbsp::model::superstep {

ProtocolTimes ProtocolTimes::of(double round_trip, double variation, const Protocol& protocol) {
  const Protocol& c = protocol;
  ProtocolTimes times{};
  times.reordering_window =
      std::clamp(c.reordering_share * round_trip, c.least_reordering, c.most_reordering);
  times.report_interval = std::clamp(c.report_share * round_trip, c.least_report, c.most_report);
  times.acknowledgement_delay =
      std::clamp(c.acknowledgement_share * round_trip, c.least_acknowledgement, c.most_acknowledgement);
  times.copy_spacing = std::min(c.spacing_share * round_trip, c.most_spacing);
  times.loss_delay = c.loss_delay_share * round_trip + c.loss_delay_slack;
  times.probe_timeout =
      round_trip + std::max(4 * variation, c.timer_granularity) + times.acknowledgement_delay;
  return times;
}

}  // namespace lbsp::model::superstep
