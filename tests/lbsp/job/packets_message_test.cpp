#include <chrono>
#include <gtest/gtest.h>
#include <optional>

#include "lbsp/job/messages.hpp"

namespace lbsp::job {
namespace {

using namespace std::chrono_literals;

TEST(Messages, carry_the_datagrams_of_a_trace) {
  using transport::PathEvent;
  const Packets packets =
      from_payload<Packets>(to_payload(Packets{.dropped = 9,
                                               .events = {{.what = PathEvent::What::received,
                                                           .kind = 6,
                                                           .peer = 2,
                                                           .at = transport::Instant{-5us},
                                                           .number = 1'000'000'000'000,
                                                           .bytes = 1472,
                                                           .acknowledged = 12},
                                                          {.what = PathEvent::What::measured,
                                                           .peer = 1,
                                                           .at = transport::Instant{3ms},
                                                           .round_trip = 20ms,
                                                           .least = 10ms,
                                                           .rate = {1e6},
                                                           .loss = 0.1}}}));
  EXPECT_EQ(packets.dropped, 9U);
  ASSERT_EQ(packets.events.size(), 2U);
  const PathEvent& received = packets.events[0];
  EXPECT_EQ(received.what, PathEvent::What::received);
  EXPECT_EQ(received.kind, 6);
  EXPECT_EQ(received.peer, 2);
  EXPECT_EQ(received.at, transport::Instant{-5us});
  EXPECT_EQ(received.number, 1'000'000'000'000U);
  EXPECT_EQ(received.bytes, 1472U);
  EXPECT_EQ(received.acknowledged, 12U);
  const PathEvent& measured = packets.events[1];
  EXPECT_EQ(measured.what, PathEvent::What::measured);
  EXPECT_EQ(measured.at, transport::Instant{3ms});
  EXPECT_EQ(measured.round_trip, 20ms);
  EXPECT_EQ(measured.least, 10ms);
  EXPECT_EQ(measured.rate.value, 1e6);
  EXPECT_EQ(measured.loss, 0.1);
}

TEST(Messages, carry_the_processor_time_of_a_network_thread_if_it_is_known) {
  const auto carried = [](std::optional<transport::Duration> time) {
    RankReport report;
    report.network_thread = time;
    return from_payload<RankReport>(to_payload(report)).network_thread;
  };
  EXPECT_EQ(carried(7ms), transport::Duration{7ms});
  EXPECT_EQ(carried(transport::Duration{0}), transport::Duration{0});
  EXPECT_FALSE(carried(std::nullopt));
}

}  // namespace
}  // namespace lbsp::job
