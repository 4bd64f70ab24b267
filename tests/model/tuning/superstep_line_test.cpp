#include "model/tuning/superstep_line.hpp"

#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/superstep/time_line.hpp"

namespace lbsp::model::tuning {
namespace {

constexpr double nodes = 8;

PacketPath path(double loss) {
  return {.packet_bytes = 1400, .loss = loss, .round_trip = 0.07, .bandwidth = 12.5e6};
}

ProgramStep all_to_all(double bytes) {
  return {1, {{nodes * (nodes - 1), nodes - 1, bytes}}};
}

double seconds(double bytes, double loss, Protection protection) {
  return superstep_line_seconds(all_to_all(bytes), nodes, path(loss), protection);
}

TEST(SuperstepLine, is_the_time_line_of_the_messages_packets) {
  const superstep::MessageKind kind{
      .per_rank = 7, .segments = 10, .segment_seconds = (1326 + packet_overhead_bytes) / 12.5e6, .copies = 3};
  const double known =
      superstep::completion_time(nodes, {&kind, 1}, {.round_trip = 0.07, .loss = 0.1}).mean();
  EXPECT_DOUBLE_EQ(seconds(13260, 0.1, {.copies = 3}), known);
}

TEST(SuperstepLine, waits_for_the_empty_messages_too) {
  const superstep::MessageKind empty{
      .per_rank = 7, .segments = 1, .segment_seconds = 102 / 12.5e6, .copies = 2};
  const double known =
      superstep::completion_time(nodes, {&empty, 1}, {.round_trip = 0.07, .loss = 0.1}).mean();
  EXPECT_DOUBLE_EQ(superstep_line_seconds({}, nodes, path(0.1), {.copies = 2}), known);
}

TEST(SuperstepLine, of_one_node_is_none) {
  EXPECT_EQ(superstep_line_seconds({}, 1, path(0.1), {}), 0);
}

TEST(SuperstepLine, is_near_the_estimate) {
  for (const double bytes : {2e3, 2e4, 2e5, 2e6, 2e8}) {
    for (const Protection& protection : {Protection{1, {}}, Protection{2, {}}, Protection{3, 12}}) {
      const double estimate = superstep_time(all_to_all(bytes), nodes, path(0.05), protection).seconds;
      EXPECT_NEAR(seconds(bytes, 0.05, protection) / estimate, 1, 0.2) << bytes;
    }
  }
}

TEST(SuperstepLine, goes_on_with_long_streams_as_they_began) {
  for (const Protection& protection : {Protection{1, {}}, Protection{3, {}}, Protection{2, 12}}) {
    const double some = seconds(4e6, 0.05, protection);
    const double more = seconds(8e6, 0.05, protection);
    const double most = seconds(16e6, 0.05, protection);
    EXPECT_NEAR((most - more) / (more - some), 2, 0.2);
  }
}

TEST(SuperstepLine, refuses_what_no_network_is) {
  EXPECT_THROW(seconds(1, 1, {}), std::invalid_argument);
  EXPECT_THROW(seconds(1, 0.1, {.copies = 0}), std::invalid_argument);
  EXPECT_THROW(seconds(-1, 0.1, {}), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::tuning
