#include "model/tuning/superstep_time.hpp"

#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/mathematics/special_functions.hpp"
#include "model/paper/exchange_time.hpp"

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
  return superstep_time(all_to_all(bytes), nodes, path(loss), protection).seconds;
}

TEST(SuperstepTime, without_loss_is_half_a_round_trip_and_the_sending_with_its_headers) {
  const double sent = 7 * (65536 + 50 * packet_overhead_bytes);
  EXPECT_DOUBLE_EQ(seconds(65536, 0, {}), 0.035 + sent / 12.5e6);
}

TEST(SuperstepTime, of_one_node_is_none) {
  EXPECT_EQ(superstep_time({}, 1, path(0.1), {}).seconds, 0);
}

TEST(SuperstepTime, counts_an_empty_message_to_every_node_that_gets_no_other) {
  const SuperstepTime empty = superstep_time({}, nodes, path(0.1), {});
  EXPECT_DOUBLE_EQ(empty.first_round, 0.035 + 7 * (32 + packet_overhead_bytes) / 12.5e6);
  EXPECT_NEAR(empty.second_round, 1 - std::pow(0.9, 56), 1e-12);
}

TEST(SuperstepTime, needs_a_second_round_as_often_as_the_receiver_driven_exchange) {
  // One packet a message; repairs go twice and take 9/8 of a round trip there, a whole one here.
  const paper::Traffic traffic = paper::Traffic::all_to_all(nodes, 1);
  const paper::Network network{0.1, 1400 / 12.5e6, 0.07};
  for (const int copies : {1, 2, 3}) {
    const SuperstepTime time = superstep_time(all_to_all(1326), nodes, path(0.1), {.copies = copies});
    EXPECT_NEAR(time.second_round, 1 - std::pow(1 - std::pow(0.1, copies), 56), 1e-12);
    const double known = paper::receiver_time(traffic, network, {copies, 2});
    EXPECT_GT(time.seconds, known);
    EXPECT_LT(time.seconds, known + (known - time.first_round) / 6 + 0.0005);
  }
}

TEST(SuperstepTime, lacks_something_of_a_block_when_more_is_lost_than_repair_packets_are_sent) {
  for (const int repair : {0, 3, 8}) {
    const SuperstepTime time = superstep_time(all_to_all(65536), nodes, path(0.05), {.repair = repair});
    const double failure = mathematics::binomial_more_than(50 + repair, 0.05, repair);
    EXPECT_NEAR(time.second_round, 1 - std::pow(1 - failure, 56), 1e-9) << repair;
  }
}

TEST(SuperstepTime, lets_a_code_beat_copies_of_long_messages_that_fit_a_round_trip) {
  double copies = 1;
  for (int k = 1; k <= 8; ++k)
    copies = std::min(copies, seconds(65536, 0.05, {.copies = k}));
  EXPECT_LT(seconds(65536, 0.05, {.repair = 12}), 0.9 * copies);
}

TEST(SuperstepTime, of_a_long_stream_is_the_link_s_for_repairs_go_while_it_flows) {
  const double sending = 7 * 1e8 * 1400 / 1326 / 12.5e6;
  EXPECT_NEAR(seconds(1e8, 0.1, {}), sending / 0.9, 0.01 * sending);
}

TEST(SuperstepTime, grows_with_loss_size_and_round_trip_and_never_beats_the_link) {
  for (const Protection& protection : {Protection{1, {}}, Protection{3, {}}, Protection{2, 5}}) {
    double before = 0;
    for (const double loss : {0., 1e-6, 0.001, 0.05, 0.2, 0.5}) {
      const double now = seconds(20000, loss, protection);
      EXPECT_GE(now, before);
      EXPECT_GE(now, 0.035 + 7 * 20000 / 12.5e6);
      before = now;
    }
    EXPECT_LT(seconds(20000, 0.1, protection), seconds(30000, 0.1, protection));
  }
}

TEST(SuperstepTime, takes_copies_that_are_lost_together_into_account) {
  PacketPath bursty = path(0.1);
  bursty.loss_after_loss = 0.5;
  const SuperstepTime time = superstep_time({}, nodes, bursty, {.copies = 2});
  EXPECT_NEAR(time.second_round, 1 - std::pow(1 - 0.05, 56), 1e-12);
}

TEST(SuperstepTime, ends_for_hopeless_networks_too) {
  EXPECT_TRUE(std::isfinite(seconds(1e6, 0.99, {.copies = 16})));
  EXPECT_TRUE(std::isfinite(seconds(1e6, 0.99, {.repair = 64})));
}

TEST(SuperstepTime, refuses_what_no_network_is) {
  EXPECT_THROW(seconds(1, 1, {}), std::invalid_argument);
  EXPECT_THROW(seconds(1, -0.1, {}), std::invalid_argument);
  EXPECT_THROW(seconds(1, NAN, {}), std::invalid_argument);
  EXPECT_THROW(seconds(1, 0.1, {.copies = 0}), std::invalid_argument);
  EXPECT_THROW(seconds(1, 0.1, {.repair = -1}), std::invalid_argument);
  EXPECT_THROW(seconds(-1, 0.1, {}), std::invalid_argument);
  PacketPath no_room = path(0.1);
  no_room.packet_bytes = packet_overhead_bytes;
  EXPECT_THROW(superstep_time({}, 2, no_room, {}), std::invalid_argument);
  PacketPath no_link = path(0.1);
  no_link.bandwidth = 0;
  EXPECT_THROW(superstep_time({}, 2, no_link, {}), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::tuning
