#include "lbsp/plan/outline.hpp"

#include <chrono>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/plan/model_planner.hpp"
#include "lbsp/plan/protocol.hpp"
#include "lbsp/plan/rounds.hpp"
#include "model/paper/rounds.hpp"
#include "model/superstep/block_repair.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using model::superstep::Superstep;
using transport::LegOutline;
using transport::PathForecast;
using transport::PlannedMessage;
using transport::Recovery;

PathForecast path(double loss, double after, double sample, transport::Duration round_trip = 70ms) {
  return {loss, after, sample, round_trip, round_trip / 10};
}

LegOutline leg_of(const std::vector<PlannedMessage>& messages, Rank size) {
  return {0, size, Recovery::receiver, transport::megabits_per_second(8), 1400, messages};
}

TEST(Outline, takes_the_mean_of_the_paths_and_the_farthest_peer) {
  const std::vector<PlannedMessage> messages{{1, 0, 1, path(0.1, 0.1, 100, 40ms)},
                                             {2, 0, 1, path(0.3, 0.6, 1e6, 70ms)},
                                             {3, 0, 1, path(0.2, 0.2, 100, 10ms)}};
  const Superstep superstep = superstep_of(leg_of(messages, 4));
  EXPECT_EQ(superstep.ranks, 4);
  EXPECT_DOUBLE_EQ(superstep.path.loss, 0.2);
  EXPECT_DOUBLE_EQ(superstep.path.lost_again(), 0.3);
  EXPECT_DOUBLE_EQ(superstep.path.round_trip, 0.07);
  EXPECT_DOUBLE_EQ(superstep.path.round_trip_variation, 0.004);
}

TEST(Outline, has_each_message_with_its_headers_at_the_rank_s_rate) {
  const std::vector<PlannedMessage> messages{{1, 100, 1, {}}, {2, 4000, 4, {}}, {3, 1, 4'000'000'000, {}}};
  const Superstep superstep = superstep_of(leg_of(messages, 4));
  ASSERT_EQ(superstep.messages.size(), 3U);
  EXPECT_EQ(superstep.messages[0].per_rank, 1);
  EXPECT_EQ(superstep.messages[0].segments, 1);
  EXPECT_DOUBLE_EQ(superstep.messages[0].segment_seconds, (100 + transport::data_overhead_bytes) / 1e6);
  EXPECT_EQ(superstep.messages[1].segments, 4);
  EXPECT_DOUBLE_EQ(superstep.messages[1].segment_seconds, (1000 + transport::data_overhead_bytes) / 1e6);
  EXPECT_EQ(superstep.messages[2].segments, 1'000'000'000);
}

TEST(Outline, without_queues_has_the_least_round_trips) {
  std::vector<PlannedMessage> messages{{1, 0, 1, path(0.1, 0.1, 100, 100ms)},
                                       {2, 0, 1, path(0.1, 0.1, 100, 80ms)}};
  messages[0].path.least_round_trip = 20ms;
  messages[1].path.least_round_trip = 40ms;
  LegOutline leg = leg_of(messages, 3);
  leg.pause = 5ms;
  const Superstep superstep = superstep_without_queues(leg);
  EXPECT_DOUBLE_EQ(superstep.path.round_trip, 0.03);
  EXPECT_DOUBLE_EQ(superstep.path.round_trip_variation, 0.3 * 0.009);
  EXPECT_EQ(superstep.pause, 0.005);
  EXPECT_DOUBLE_EQ(superstep_of(leg).path.round_trip, 0.1);
}

TEST(Outline, to_forecast_has_no_queue_that_has_left) {
  std::vector<PlannedMessage> messages{{1, 0, 1, path(0.1, 0.1, 100, 100ms)},
                                       {2, 0, 1, path(0.1, 0.1, 100, 20ms)}};
  EXPECT_EQ(superstep_to_forecast(leg_of(messages, 3)), superstep_of(leg_of(messages, 3)))
      << "nothing is known";
  messages[0].path.newest_round_trip = 60ms;
  EXPECT_EQ(superstep_to_forecast(leg_of(messages, 3)), superstep_of(leg_of(messages, 3))) << "may be chance";
  messages[0].path.newest_round_trip = 10ms;
  const Superstep superstep = superstep_to_forecast(leg_of(messages, 3));
  EXPECT_DOUBLE_EQ(superstep.path.round_trip, 0.02);
  EXPECT_NEAR(superstep.path.round_trip_variation, 0.0015, 1e-8);
  messages[0].segments = 8;
  EXPECT_EQ(superstep_to_forecast(leg_of(messages, 3)), superstep_of(leg_of(messages, 3)))
      << "it will queue again";
}

TEST(Outline, without_queues_leaves_out_what_goes_to_the_same_host) {
  std::vector<PlannedMessage> messages{{1, 1000, 1, path(0.1, 0.1, 100)}, {2, 1000, 1, path(0, 0, 100, 1ms)}};
  messages[1].near = true;
  const Superstep superstep = superstep_without_queues(leg_of(messages, 3));
  EXPECT_EQ(superstep.messages.size(), 1U);
  EXPECT_DOUBLE_EQ(superstep.path.loss, 0.1);
  messages[0].near = true;
  EXPECT_EQ(superstep_without_queues(leg_of(messages, 3)).messages.size(), 2U);
}

TEST(Outline, without_queues_is_the_same_with_long_messages) {
  std::vector<PlannedMessage> messages{{1, 10'000, 8, path(0.1, 0.1, 100)},
                                       {2, 1000, 1, path(0, 0, 100, 1ms)}};
  messages[0].path.least_round_trip = 20ms;
  const LegOutline leg = leg_of(messages, 3);
  EXPECT_EQ(superstep_without_queues(leg), superstep_of(leg));
}

TEST(Outline, counts_the_rounds_of_segments) {
  std::vector<PlannedMessage> messages{{1, 4000, 4, {}}};
  LegOutline leg = leg_of(messages, 2);
  leg.recovery = Recovery::rounds;
  EXPECT_DOUBLE_EQ(superstep_of(leg).messages[0].segment_seconds,
                   (1000 + transport::data_overhead_bytes + 2) / 1e6);
}

TEST(Outline, believes_in_runs_of_losses_after_twenty_and_two_deviations) {
  const double surprising = 0.1 + 2 * std::sqrt(0.09 / 20);
  EXPECT_EQ(path_of(path(0.1, surprising + 1e-9, 200)).loss_after_loss, surprising + 1e-9);
  EXPECT_FALSE(path_of(path(0.1, surprising - 1e-9, 200)).loss_after_loss);
  EXPECT_FALSE(path_of(path(0.1, 0.9, 199)).loss_after_loss);
  EXPECT_FALSE(path_of(path(0, 0, 0)).loss_after_loss);
}

TEST(Protocol, has_the_transport_s_limits_and_the_heads_of_messages) {
  EXPECT_EQ(protocol().limits.block_segments, transport::most_block_segments);
  EXPECT_EQ(protocol().limits.repair_segments, transport::most_repair_segments);
  EXPECT_EQ(protocol().limits.copies, transport::max_copies);
  EXPECT_EQ(protocol().framing.datagram, transport::data_overhead_bytes);
  EXPECT_EQ(protocol().framing.message, 32);
  EXPECT_EQ(protocol().framing.record, 48);
}

TEST(Protocol, repairs_for_the_loss_of_the_path_up_to_ninety_per_cent) {
  const ModelPlanner planner({});
  EXPECT_EQ(planner.repairs_for(1, 0, path(0.1, 0.1, 0)), 2);  // 1 % are lost both
  EXPECT_EQ(planner.repairs_for(1, 1, path(0.1, 0.1, 0)), 3);  // 0.1 %
  EXPECT_EQ(planner.repairs_for(4, 0, path(-0.1, 0, 0)), 4);
  EXPECT_EQ(planner.repairs_for(1, 0, path(0.9, 0.9, 0)), 38);  // 0.9^38 = 1.8 %
  EXPECT_EQ(planner.repairs_for(1, 0, path(1, 1, 0)), 38);
}

TEST(Rounds, are_the_paper_s_over_all_kinds_of_messages) {
  // 3 ranks; each sends one message of one segment and one of four.
  const Superstep superstep{3, {.round_trip = 0.05, .loss = 0.1}, {{1, 1, 1e-3}, {1, 4, 2e-3}}};
  const double tau = 2 * (1e-3 + 8e-3) + 0.05;
  EXPECT_DOUBLE_EQ(seconds_in_rounds(superstep, Recovery::rounds, 2),
                   2 * tau * model::paper::expected_rounds(model::paper::Scheme::rounds, 0.1, 2, 15).value());
  EXPECT_DOUBLE_EQ(seconds_in_rounds(superstep, Recovery::whole_round, 2),
                   2 * tau * model::paper::expected_rounds_whole_round_by_rank(0.1, 2, 15, 3).value());
}

TEST(Rounds, take_the_copies_with_the_least_time_and_the_most_where_none_ends) {
  const Superstep short_ones{3, {.round_trip = 0.05, .loss = 0.1}, {{2, 1, 1e-5}}};
  const int best = best_copies_in_rounds(short_ones, Recovery::rounds);
  for (int copies = 1; copies <= transport::max_copies; ++copies) {
    EXPECT_LE(seconds_in_rounds(short_ones, Recovery::rounds, best),
              seconds_in_rounds(short_ones, Recovery::rounds, copies));
  }
  const Superstep hopeless{100, {.round_trip = 0.05, .loss = 0.9}, {{99, 100'000, 1e-5}}};
  EXPECT_EQ(best_copies_in_rounds(hopeless, Recovery::whole_round), transport::max_copies);
  const Superstep lossy{100, {.round_trip = 0.05, .loss = 0.7}, {{99, 10, 1e-9}}};
  EXPECT_EQ(best_copies_in_rounds(lossy, Recovery::rounds), transport::max_copies);
  const Superstep lossless{3, {.round_trip = 0.05}, {{2, 1, 1e-5}}};
  EXPECT_EQ(best_copies_in_rounds(lossless, Recovery::rounds), 1);
}

/// The coded segments that a block of 128 of one of four ranks may have, spare ones included.
int most_segments(const PathForecast& path) {
  transport::ExchangeOptions options;
  options.redundancy = transport::Redundancy::fixed;
  options.repair_segments = 10;
  ModelPlanner planner(options);
  const std::vector<PlannedMessage> messages{{1, 160'000, 128, path}};
  std::vector<transport::MessagePlan> plans(1);
  planner.plan(leg_of(messages, 4), plans);
  return plans[0].most_segments;
}

TEST(SpareSegments, are_enough_for_a_loss_two_deviations_above_what_was_measured) {
  const auto enough_for = [](double loss) {
    return model::superstep::most_coded_segments(protocol().repairs, 128, 4, loss, 1);
  };
  for (const double sample : {0., 80., 1e6})
    EXPECT_EQ(most_segments(path(0.1, 0.1, sample)),
              enough_for(0.1 + 2 * std::sqrt(0.1 * 0.9 / (sample + 20))))
        << sample << " datagrams measured";
  EXPECT_EQ(most_segments(path(0.5, 0.5, 0)), enough_for(0.5 + 2 * std::sqrt(0.5 * 0.5 / 20)));
  EXPECT_EQ(most_segments(path(0.85, 0.85, 0)), enough_for(0.9)) << "none is planned for above";
}

}  // namespace
}  // namespace lbsp::plan
