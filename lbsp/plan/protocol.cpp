#include "lbsp/plan/protocol.hpp"

#include <chrono>

#include "lbsp/superstep/messages/layout.hpp"
#include "transport/options.hpp"
#include "transport/protocol_times.hpp"
#include "transport/redundancy.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::plan {
namespace {

using transport::seconds;

/// The head of a sent record, and the padding about its tag.
constexpr double record_bytes = superstep::aligned(sizeof(superstep::RecordHead)) + superstep::alignment;

model::superstep::ShareOfRoundTrip share(const transport::PartOfRoundTrip& part) {
  return {1. / part.divisor, seconds(part.least), seconds(part.most)};
}

model::superstep::Timing timing() {
  namespace from = transport::protocol;
  return {.reordering_window = share(from::reordering_window),
          .report_interval = share(from::report_interval),
          .acknowledgement_delay = share(from::acknowledgement_delay),
          .copy_spacing = share(from::copy_spacing),
          .loss_delay_share = 1 + 1. / from::loss_delay_divisor,
          .loss_delay_slack = seconds(from::loss_delay_slack),
          .timer_granularity = seconds(from::timer_granularity),
          .hold_share = 1 - 1. / from::hold_slack_divisor,
          .datagrams_per_report = static_cast<int>(from::datagrams_per_report),
          .reports_before_backoff = static_cast<int>(from::reports_before_backoff),
          .packet_threshold = static_cast<int>(from::packet_threshold),
          .few_repairs = static_cast<int>(from::few_repairs),
          .unheard_round_trips = from::unheard_round_trips,
          .spare_round_trips = from::spare_round_trips,
          .idle_burst = seconds(from::idle_burst),
          .least_burst_datagrams = static_cast<double>(from::least_burst_datagrams),
          .longest_burst = seconds(from::longest_burst)};
}

}  // namespace

const model::superstep::Protocol& protocol() {
  static const model::superstep::Protocol known{
      .limits = {.block_segments = transport::most_block_segments,
                 .repair_segments = transport::most_repair_segments,
                 .copies = transport::max_copies},
      .framing = {.datagram = transport::data_overhead_bytes,
                  .message = sizeof(superstep::MessageHead),
                  .record = record_bytes},
      .repairs = {.first_residual = 0.02, .later_residual = 0.005, .spare_residual = 2e-3},
      .timing = timing(),
      .farewell_round_trips = 0.5};
  return known;
}

}  // namespace lbsp::plan
