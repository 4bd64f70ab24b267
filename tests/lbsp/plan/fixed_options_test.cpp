#include <chrono>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/plan/model_planner.hpp"
#include "lbsp/plan/outline.hpp"
#include "lbsp/plan/rounds.hpp"
#include "model/superstep/rounding.hpp"
#include "tests/lbsp/plan/assumed_path.hpp"

namespace lbsp::plan {
namespace {

using transport::seconds;

/// What rank 0 of four sends: the same to all.
class Leg {
 public:
  Leg(std::uint32_t segments, double loss, Recovery recovery = Recovery::receiver)
      : messages_(3, {1, segments * segment_bytes, segments, path(loss)}), recovery_(recovery) {}

  LegOutline outline() const {
    return {0, 4, recovery_, megabits_per_second(100), datagram_bytes, messages_};
  }

 private:
  std::vector<PlannedMessage> messages_;
  Recovery recovery_;
};

double given(const ExchangeOptions& options, const Leg& leg) {
  std::vector<MessagePlan> plans(leg.outline().messages.size());
  return seconds(ModelPlanner(options).plan(leg.outline(), plans).duration);
}

std::vector<MessagePlan> plans_of(const ExchangeOptions& options) {
  const std::vector<PlannedMessage> messages{{1, 0, 1, {}}, {2, 0, 10, {}}, {3, 0, 100, {}}};
  std::vector<MessagePlan> plans(messages.size());
  ModelPlanner(options).plan({0, 4, Recovery::receiver, megabits_per_second(100), datagram_bytes, messages},
                             plans);
  return plans;
}

void expect_plan(const MessagePlan& plan, int copies, int repair, std::uint32_t first, bool coded) {
  EXPECT_EQ(plan.copies, copies);
  EXPECT_EQ(plan.repair_segments, repair);
  EXPECT_EQ(plan.first_protected, first);
  EXPECT_EQ(plan.coded, coded);
}

TEST(FixedOptions, is_the_same_number_of_copies_for_all) {
  for (const MessagePlan& plan : plans_of({.copies = 3}))
    expect_plan(plan, 3, 0, 0, false);
}

TEST(FixedOptions, may_be_other_copies_of_longer_messages_or_of_their_ends) {
  const auto plans = plans_of({.copies = 3, .longer_copies = 2, .protected_tail = 30});
  expect_plan(plans[0], 3, 0, 0, false);
  expect_plan(plans[1], 2, 0, 0, false);
  expect_plan(plans[2], 2, 0, 70, false);
}

TEST(FixedOptions, may_be_coded_segments_of_longer_messages) {
  const auto plans = plans_of({.copies = 3, .repair_segments = 7, .protected_tail = 1});
  expect_plan(plans[0], 3, 0, 0, false);
  expect_plan(plans[1], 1, 7, 9, true);
  expect_plan(plans[2], 1, 7, 99, true);
  expect_plan(plans_of({.repair_segments = 0})[2], 1, 0, 0, true);
}

TEST(FixedOptions, repairs_as_the_planner_does) {
  const ModelPlanner given({.copies = 1});
  EXPECT_EQ(given.repairs_for(1, 1, {.loss = 0.1}), 3);
  EXPECT_EQ(given.repairs_for(5, 0, {}), 5);
}

TEST(FixedOptions, expects_what_the_planner_expects_of_the_same_protection) {
  for (const std::uint32_t segments : {1U, 12U, 300U}) {
    for (const double loss : {0.01, 0.1}) {
      const Leg leg(segments, loss);
      for (const Redundancy means : {Redundancy::copies, Redundancy::coded}) {
        std::vector<MessagePlan> plans(leg.outline().messages.size());
        const double planned =
            seconds(ModelPlanner({.redundancy = means}).plan(leg.outline(), plans).duration);
        ExchangeOptions options{.copies = plans[0].copies};
        if (plans[0].coded) options.repair_segments = plans[0].repair_segments;
        if (plans[0].first_protected > 0) options.protected_tail = segments - plans[0].first_protected;
        EXPECT_NEAR(given(options, leg) / planned, 1, 0.02) << segments << " segments, loss " << loss;
      }
    }
  }
}

TEST(FixedOptions, expects_more_of_one_copy_where_much_is_lost_and_the_same_where_nothing_is) {
  EXPECT_GT(given({.copies = 1}, Leg(1, 0.1)), 1.5 * given({.copies = 6}, Leg(1, 0.1)));
  EXPECT_EQ(given({.copies = 1}, Leg(100, 0)), given({.copies = 2}, Leg(100, 0)));
}

TEST(FixedOptions, expects_nothing_before_the_round_trips_are_known) {
  const std::vector<PlannedMessage> messages{{1, 100, 1, {}}, {2, 100, 1, {.round_trip_known = false}}};
  const LegOutline leg{0, 3, Recovery::receiver, megabits_per_second(100), datagram_bytes, messages};
  for (const Redundancy redundancy : {Redundancy::fixed, Redundancy::automatic}) {
    std::vector<MessagePlan> plans(messages.size());
    EXPECT_EQ(ModelPlanner({.redundancy = redundancy}).plan(leg, plans).duration, Duration{0});
    EXPECT_GE(plans[1].copies, 1);
  }
}

TEST(FixedOptions, expects_the_paper_s_rounds_of_the_paper_s_schemes) {
  for (const Recovery recovery : {Recovery::rounds, Recovery::whole_round}) {
    const Leg leg(1, 0.1, recovery);
    const double expected =
        seconds_in_rounds(model::superstep::rounded(superstep_of(leg.outline())), recovery, 2);
    EXPECT_NEAR(given({.copies = 2}, leg), expected, 1e-9);
  }
}

TEST(FixedOptions, is_kept_where_the_path_is_lossy) {
  const Leg leg(40, 0.1);
  std::vector<MessagePlan> plans(3);
  ModelPlanner({.copies = 3, .longer_copies = 5}).plan(leg.outline(), plans);
  EXPECT_EQ(plans[0].copies, 5);
  EXPECT_FALSE(plans[0].coded);
}

}  // namespace
}  // namespace lbsp::plan
