#include <array>
#include <chrono>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/plan/protocol.hpp"
#include "transport/messages/loss_detection.hpp"
#include "transport/paths/path_estimate.hpp"

// The model is told the numbers of the protocol: here what it makes of them is held against what the protocol
// does.
namespace lbsp {
namespace {

using namespace std::chrono_literals;
using transport::Duration;
using transport::Instant;
using transport::seconds;

/// An estimate that has seen nothing but this round trip, until its variation is gone.
transport::PathEstimate estimate_of(Duration round_trip) {
  transport::PathEstimate path;
  Instant now{1s};
  for (std::uint64_t packet = 0; packet < 100; ++packet) {
    path.sent(packet, now);
    now += round_trip;
    path.echoed({packet + 1, 0, {}}, now);
  }
  return path;
}

TEST(ProtocolTimes, are_those_of_the_protocol) {
  for (const Duration round_trip :
       {Duration{1ms}, Duration{5ms}, Duration{20ms}, Duration{70ms}, Duration{300ms}}) {
    const transport::PathEstimate path = estimate_of(round_trip);
    const auto times =
        model::superstep::ProtocolTimes::of({.round_trip = seconds(round_trip)}, plan::protocol().timing);
    constexpr double close = 1e-6;
    EXPECT_NEAR(times.reordering_window, seconds(path.reordering_window()), close);
    EXPECT_NEAR(times.report_interval, seconds(path.report_interval()), close);
    EXPECT_NEAR(times.acknowledgement_delay, seconds(path.acknowledgement_delay()), close);
    EXPECT_NEAR(times.copy_spacing, seconds(path.copy_spacing()), close);
    EXPECT_NEAR(times.loss_delay, seconds(path.loss_delay()), close);
    EXPECT_NEAR(times.probe_timeout, seconds(path.probe_timeout()), close);
  }
}

TEST(ProtocolTimes, have_the_hold_after_which_a_report_finds_what_was_overtaken_lost) {
  const transport::PathEstimate path = estimate_of(20ms);
  const auto lost_after = [&](double held) {
    transport::OutgoingMessage message({}, Bytes(300), 100);
    for (std::uint32_t i = 0; i < 3; ++i)
      message.sent(i, i, Instant{1s});
    const std::array first_and_last{std::byte{0b101}};
    transport::StatusEntry entry;
    entry.bits = 3;
    entry.bitmap = first_and_last;
    std::vector<std::uint32_t> lost;
    transport::StatusHeader report{};
    report.echo = {3, static_cast<std::uint32_t>(held * 1e6)};
    transport::LossDetection(report, path, std::nullopt, 0ms, Instant{1s}).apply(entry, message, lost);
    return !lost.empty();
  };
  const double hold = plan::protocol().timing.hold_share * seconds(path.reordering_window());
  EXPECT_FALSE(lost_after(hold - 2e-6));
  EXPECT_TRUE(lost_after(hold + 2e-6));
}

}  // namespace
}  // namespace lbsp
