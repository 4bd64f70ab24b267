#include "transport/sending/planning.hpp"

#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"

/// What the planner is asked, and what becomes of its answer.
namespace lbsp::transport {
namespace {

using namespace testing;

/// Answers as the test says, and keeps the question.
class Planner final : public RedundancyPlanner {
 public:
  LegForecast plan(const LegOutline& leg, std::span<MessagePlan> plans) override {
    outline = leg;
    messages.assign(leg.messages.begin(), leg.messages.end());
    for (MessagePlan& each : plans)
      each = answer;
    return {10ms};
  }
  int repairs_for(int lacking, int, const PathForecast&) const override { return lacking; }

  MessagePlan answer;
  LegOutline outline;
  std::vector<PlannedMessage> messages;
};

template <class Resident>
struct Room {
  explicit Room(std::vector<PathForecast> priors = {}) {
    EndpointConfig config =
        config_of(3, std::is_same_v<Resident, PaperRounds> ? Recovery::rounds : Recovery::receiver);
    config.planner = planner;
    config.priors = std::move(priors);
    state.emplace(config);
    planning.emplace(state->state);
  }
  /// A leg in which this goes to each of two peers.
  void plan(std::size_t bytes, MessageId id = {}) {
    state->begin_leg(bytes, start, id);
    planning->plan_leg();
  }

  std::shared_ptr<Planner> planner = std::make_shared<Planner>();
  std::optional<RoomState<Resident>> state;
  std::optional<Planning> planning;
};

TEST(Planning, the_planner_is_told_of_the_rank_and_of_every_message) {
  Room<ReceiverDriven> room;
  room.plan(3000);
  EXPECT_EQ(room.planner->outline.rank, 0);
  EXPECT_EQ(room.planner->outline.size, 3);
  EXPECT_EQ(room.planner->outline.rate, room.state->state.rate.rate());
  EXPECT_EQ(room.planner->outline.datagram_bytes, 1400u);
  ASSERT_EQ(room.planner->messages.size(), 2u);
  EXPECT_EQ(room.planner->messages[0].to, 1);
  EXPECT_EQ(room.planner->messages[1].to, 2);
  EXPECT_EQ(room.planner->messages[0].bytes, 3000u);
  EXPECT_EQ(room.planner->messages[0].segments, 3u);
}

TEST(Planning, an_answer_is_kept_within_bounds) {
  Room<ReceiverDriven> room;
  room.planner->answer.copies = 1000;
  room.plan(3000);
  EXPECT_EQ(room.state->outgoing().plan().copies, max_copies);
  room.planner->answer.copies = -1;
  room.plan(3000, {0, Leg::replies});
  EXPECT_EQ(room.state->outgoing().plan().copies, 1);
}

TEST(Planning, nothing_is_coded_with_the_papers_rounds) {
  Room<ReceiverDriven> reports;
  Room<PaperRounds> rounds;
  reports.planner->answer.coded = rounds.planner->answer.coded = true;
  reports.plan(3000);
  rounds.plan(3000);
  EXPECT_TRUE(reports.state->outgoing().plan().coded);
  EXPECT_FALSE(rounds.state->outgoing().plan().coded);
}

TEST(Planning, the_forecast_is_of_both_legs_of_one_superstep) {
  Room<ReceiverDriven> room;
  room.planner->answer.copies = 3;
  room.plan(3000);
  EXPECT_EQ(room.planning->forecast().duration, 10ms);
  EXPECT_EQ(room.planning->forecast().most_copies, 3);
  room.planner->answer.copies = 2;
  room.plan(3000, {0, Leg::replies});
  EXPECT_EQ(room.planning->forecast().duration, 20ms);
  EXPECT_EQ(room.planning->forecast().most_copies, 3);
  room.plan(3000, {1, Leg::messages});
  EXPECT_EQ(room.planning->forecast().duration, 10ms);
  EXPECT_EQ(room.planning->forecast().most_copies, 2);
}

TEST(Planning, what_one_path_has_lost_is_expected_of_the_others) {
  Room<ReceiverDriven> room;
  room.plan(3000);
  const double before = room.planner->messages[1].path.loss;
  room.state->other.path.loss.loss = UINT16_MAX / 2;
  room.state->other.echoed.packets = 1000;
  room.plan(3000, {0, Leg::replies});
  EXPECT_GT(room.planner->messages[1].path.loss, 0.3);
  EXPECT_LT(before, 0.1);
}

TEST(Planning, what_another_measurement_says_of_a_path_is_not_changed_by_the_others) {
  PathForecast known = default_prior();
  known.loss = 0.01;
  Room<ReceiverDriven> room({known, known, known});
  room.state->other.path.loss.loss = UINT16_MAX / 2;
  room.state->other.echoed.packets = 1000;
  room.plan(3000);
  EXPECT_DOUBLE_EQ(room.planner->messages[1].path.loss, 0.01);
}

}  // namespace
}  // namespace lbsp::transport
