#pragma once

#include "model/superstep/protocol.hpp"

namespace lbsp::model::superstep {

/// A protocol of the kind that lbsp runs.
inline Protocol known_protocol() {
  return {.limits = {.block_segments = 128, .repair_segments = 128, .copies = 16},
          .framing = {.datagram = 46, .message = 32, .record = 48},
          .repairs = {.first_residual = 0.02, .later_residual = 0.005},
          .timing = {.reordering_window = {1. / 16, 200e-6, 5e-3},
                     .report_interval = {1. / 8, 1e-3, 25e-3},
                     .acknowledgement_delay = {1. / 8, 1e-3, 5e-3},
                     .copy_spacing = {1. / 16, 0, 2e-3},
                     .loss_delay_share = 9. / 8,
                     .loss_delay_slack = 200e-6,
                     .timer_granularity = 2e-3,
                     .hold_share = 7. / 8,
                     .datagrams_per_report = 64,
                     .reports_before_backoff = 8,
                     .packet_threshold = 3,
                     .few_repairs = 32,
                     .unheard_round_trips = 1.5,
                     .spare_round_trips = 0.5,
                     .idle_burst = 500e-6,
                     .least_burst_datagrams = 4,
                     .longest_burst = 10e-3}};
}

}  // namespace lbsp::model::superstep
