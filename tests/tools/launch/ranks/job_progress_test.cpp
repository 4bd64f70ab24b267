#include "tools/launch/ranks/job_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::launch::ranks {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr JobProgress::Instant start{1h};

JobProgress of(Rank size) {
  JobProgress progress;
  progress.set_size(size);
  return progress;
}

TEST(JobProgress, names_who_computes_while_the_others_have_waited_for_a_second) {
  JobProgress progress = of(3);
  EXPECT_FALSE(progress.known());
  progress.take(0, {1, true}, start);
  progress.take(1, {1, false}, start);
  progress.take(2, {1, true}, start + 500ms);
  EXPECT_TRUE(progress.known());
  EXPECT_EQ(progress.superstep(), 1U);
  EXPECT_THAT(progress.waited_for(start + 999ms), IsEmpty());
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(1));
}

TEST(JobProgress, names_who_has_said_nothing_or_waited_only_in_an_earlier_superstep) {
  JobProgress progress = of(4);
  progress.take(2, {4, true}, start);
  progress.take(0, {5, true}, start);
  progress.take(3, {5, true}, start);
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(1, 2));
}

/// Rank 0 is slow to send: 1 and 2 have its message, 3 has not, and cannot begin the next superstep.
TEST(JobProgress, names_whose_message_does_not_come_and_not_who_is_held_up_by_it) {
  JobProgress progress = of(4);
  progress.take(0, {5, true, 0, 0, {3}}, start);
  progress.take(1, {5, true, 0, 0, {0, 3}}, start);
  progress.take(2, {5, true, 0, 0, {3}}, start);
  progress.take(3, {4, true, 0, 0, {0}}, start);
  EXPECT_THAT(progress.waited_for(start + 999ms), IsEmpty());
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(0));
}

/// Ranks that have not yet heard that another has ended may still await its message.
TEST(JobProgress, does_not_name_who_has_ended) {
  JobProgress progress = of(3);
  progress.take(0, {5, true, 0, 0, {2}}, start);
  progress.take(1, {5, true, 0, 0, {2}}, start);
  progress.take(2, {5, false}, start);
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(2));
  progress.ended(2);
  EXPECT_THAT(progress.waited_for(start + 1s), IsEmpty());
}

TEST(JobProgress, names_who_is_slow_to_send_where_all_wait_in_one_superstep) {
  JobProgress progress = of(3);
  progress.take(0, {5, true}, start);
  progress.take(1, {5, true, 0, 0, {0, 2}}, start);
  progress.take(2, {5, true, 0, 0, {0}}, start);
  progress.take(1, {5, true, 0, 0, {0}}, start + 900ms);
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(0)) << "1 has waited since it began to";
}

TEST(JobProgress, names_who_computes_by_those_that_wait_for_its_message) {
  JobProgress progress = of(3);
  progress.take(0, {5, true, 0, 0, {1}}, start);
  progress.take(1, {5, false}, start);
  progress.take(2, {5, true, 0, 0, {1, 7}}, start);
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(1)) << "there is no rank 7";
}

TEST(JobProgress, names_nobody_once_the_ranks_get_on) {
  JobProgress progress = of(2);
  progress.take(1, {5, true}, start);
  progress.take(0, {6, false}, start + 2s);
  EXPECT_THAT(progress.waited_for(start + 3s), IsEmpty());
}

TEST(JobProgress, does_not_wait_for_who_is_at_its_end_nor_take_a_rank_that_is_none) {
  JobProgress progress = of(3);
  progress.take(7, {9, true}, start);
  progress.take(0, {5, true}, start);
  progress.ended(1);
  EXPECT_EQ(progress.superstep(), 5U);
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(2));
}

TEST(JobProgress, counts_supersteps_from_when_the_ranks_came_to_one_world_and_waits_for_nobody_who_was_lost) {
  JobProgress progress = of(4);
  for (const Rank rank : {0, 1, 2, 3})
    progress.take(rank, {50, true}, start);
  progress.go_on_with({0, 2, 3});
  // Rank 3 is a new process, and rank 2 had completed one superstep more than rank 0 when rank 1 was lost.
  progress.take(0, {60, true, 1, 50}, start);
  progress.take(2, {61, true, 1, 51}, start);
  EXPECT_EQ(progress.superstep(), 61U);
  EXPECT_THAT(progress.waited_for(start + 1s), ElementsAre(3));
  progress.take(3, {10, true, 1, 0}, start + 1s);
  EXPECT_THAT(progress.waited_for(start + 2s), IsEmpty()) << "all wait: a message is under way";
}

}  // namespace
}  // namespace lbsp::launch::ranks
