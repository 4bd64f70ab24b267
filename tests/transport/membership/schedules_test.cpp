#include <gtest/gtest.h>

#include "survivors.hpp"

/// Whole jobs in virtual time, at random. For many more: build/bin/membership_schedules --seeds 1-100000.
namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

int broken(Mutant mutant, std::uint64_t seeds) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    count += run_schedule(random_schedule(seed), mutant).violations.empty() ? 0 : 1;
  return count;
}

Schedule job_of(Slot size) {
  return {.seed = 1, .size = size, .one_way = 20ms, .loss = 0.05, .compute = 50ms};
}

void cut(Schedule& schedule, const MemberSet& one, const MemberSet& other, Duration begin, Duration end) {
  schedule.cuts.push_back({one, other, begin, end});
  schedule.cuts.push_back({other, one, begin, end});
}

TEST(MembershipSchedules, break_no_rule) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Schedule schedule = random_schedule(seed);
    const Outcome outcome = run_schedule(schedule);
    EXPECT_TRUE(outcome.violations.empty())
        << describe(schedule) << "\n"
        << outcome.violations.front() << "\nagain: build/bin/membership_schedules --seeds " << seed;
  }
}

/// It leads, and would leave itself out: the others have not said yet that they miss them too.
TEST(MembershipSchedules, nobody_is_left_out_who_is_the_first_to_miss_two_that_have_ended) {
  EXPECT_TRUE(run_schedule(random_schedule(37035)).violations.empty());
}

TEST(MembershipSchedules, the_same_seed_gives_the_same_run) {
  const Schedule schedule = random_schedule(17);
  const Outcome one = run_schedule(schedule);
  const Outcome other = run_schedule(schedule);
  EXPECT_EQ(one.completed, other.completed);
  EXPECT_EQ(one.views, other.views);
  EXPECT_GT(one.completed, 0u);
}

TEST(MembershipSchedules, a_world_whose_members_drop_what_they_held_is_found_out) {
  EXPECT_GT(broken(Mutant::no_freeze, 100), 0);
}

TEST(MembershipSchedules, two_halves_that_both_go_on_are_found_out) {
  EXPECT_GT(broken(Mutant::any_half, 100), 0);
}

TEST(MembershipSchedules, members_that_forget_their_votes_are_found_out) {
  EXPECT_GT(broken(Mutant::amnesia, 200), 0);
}

TEST(MembershipSchedules, three_of_five_go_on_when_the_network_splits_and_is_made_whole) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Schedule schedule = job_of(5);
    schedule.seed = seed;
    cut(schedule, {0, 1, 2}, {3, 4}, 1s, 31s);
    const Outcome outcome = run_schedule(schedule);
    EXPECT_TRUE(outcome.violations.empty()) << seed;
    EXPECT_EQ(outcome.running, 3) << seed;
    EXPECT_EQ(outcome.epochs, 1u) << seed;
  }
}

TEST(MembershipSchedules, all_go_on_when_a_split_is_shorter_than_the_limit) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Schedule schedule = job_of(5);
    schedule.seed = seed;
    cut(schedule, {0, 1, 2}, {3, 4}, 1s, 1600ms);
    EXPECT_EQ(run_schedule(schedule).running, 5) << seed;
  }
}

TEST(MembershipSchedules, deaths_one_by_one_are_survived_down_to_the_last) {
  Schedule schedule = job_of(6);
  for (Slot slot = 5; slot > 0; --slot)
    schedule.deaths.push_back({slot, (6 - slot) * 3s});
  const Outcome outcome = run_schedule(schedule);
  EXPECT_TRUE(outcome.violations.empty());
  EXPECT_EQ(outcome.running, 1);
}

TEST(MembershipSchedules, most_dying_at_once_end_all) {
  Schedule schedule = job_of(5);
  for (const Slot slot : {0, 1, 2})
    schedule.deaths.push_back({slot, 1s});
  const Outcome outcome = run_schedule(schedule);
  EXPECT_TRUE(outcome.violations.empty());
  EXPECT_EQ(outcome.running, 0);
}

}  // namespace
}  // namespace lbsp::transport::testing
