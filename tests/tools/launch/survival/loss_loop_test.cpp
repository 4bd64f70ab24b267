#include "tools/launch/survival/loss_loop.hpp"

#include <gtest/gtest.h>

namespace lbsp::launch::survival {
namespace {

using namespace std::chrono_literals;

/// A job that loses rank 3 again and again.
class LosingJob {
 public:
  /// The world ends after so many supersteps, and the next one begins with this state, which has been kept anew since.
  int lose(std::uint64_t supersteps, std::optional<std::uint64_t> state, std::chrono::seconds after = 1h) {
    now_ += after;
    ++epoch_;
    loop_.world_ended({.epoch = epoch_, .members = {0, 1, 2, 3}, .lost = {3}, .boundary = epoch_},
                      {.epoch = epoch_,
                       .supersteps = supersteps,
                       .keeps_all = keeps_all,
                       .reached = reached,
                       .state = state},
                      now_);
    return loop_.in_a_row(3);
  }
  bool ends() const { return loop_.is_one(3); }

  bool keeps_all = false;
  std::optional<std::uint64_t> reached = {};

 private:
  LossLoop loop_;
  LossLoop::Clock::time_point now_{1h};
  std::uint32_t epoch_ = 0;
};

TEST(LossLoop, is_five_losses_of_a_job_that_always_comes_as_far) {
  LosingJob job;
  for (int losses = 1; losses < LossLoop::most_losses; ++losses) {
    // Ranks are one superstep apart.
    EXPECT_EQ(job.lose(static_cast<std::uint64_t>(20 + losses % 2), 0), losses);
    EXPECT_FALSE(job.ends());
  }
  EXPECT_EQ(job.lose(20, 0), LossLoop::most_losses);
  EXPECT_TRUE(job.ends());
}

TEST(LossLoop, is_none_of_a_job_that_comes_further_each_time) {
  LosingJob job;
  for (std::uint64_t supersteps = 10; supersteps < 100; supersteps += 2)
    EXPECT_EQ(job.lose(supersteps, 0), 1);
}

TEST(LossLoop, is_none_of_a_job_that_goes_on_from_newer_states) {
  LosingJob job;
  for (std::uint64_t state = 1; state < 20; ++state)
    EXPECT_EQ(job.lose(5, state), 1);
}

TEST(LossLoop, is_one_where_no_newer_state_is_kept) {
  LosingJob job;
  EXPECT_EQ(job.lose(60, 41), 1);
  // From that state on it has fewer to do.
  for (int losses = 2; losses <= LossLoop::most_losses; ++losses)
    EXPECT_EQ(job.lose(21, 41), losses);
  EXPECT_EQ(job.lose(40, 61), 1);
}

TEST(LossLoop, takes_what_a_new_process_does_not_know_for_the_state_before) {
  LosingJob job;
  EXPECT_EQ(job.lose(60, 41), 1);
  EXPECT_EQ(job.lose(20, std::nullopt), 2);
  EXPECT_EQ(job.lose(0, 41), 3);
  EXPECT_EQ(job.lose(22, std::nullopt), 1);
}

TEST(LossLoop, counts_no_superstep_that_is_done_again_from_an_older_state) {
  LosingJob job;
  EXPECT_EQ(job.lose(60, 41), 1);
  EXPECT_EQ(job.lose(21, 0), 2);
  EXPECT_EQ(job.lose(61, 0), 3);
}

TEST(LossLoop, of_a_program_that_keeps_all_it_has_is_one_within_minutes_only) {
  LosingJob job;
  job.keeps_all = true;
  std::uint64_t boundary = 0;
  for (int i = 0; i < 3 * LossLoop::most_losses; ++i)
    EXPECT_EQ(job.lose(4, ++boundary, 61s), 1);
  for (int losses = 2; losses <= LossLoop::most_losses; ++losses)
    EXPECT_EQ(job.lose(4, ++boundary, 1s), losses);
  EXPECT_TRUE(job.ends());
}

TEST(LossLoop, of_a_program_that_says_how_far_it_is_is_one_whatever_the_time_between) {
  LosingJob job;
  job.keeps_all = true;
  std::uint64_t boundary = 0;
  for (job.reached = 10; *job.reached < 30; ++*job.reached)
    EXPECT_EQ(job.lose(4, ++boundary, 1s), 1) << "gets further";
  job.reached = 29;
  for (int losses = 2; losses <= LossLoop::most_losses; ++losses) {
    EXPECT_FALSE(job.ends());
    EXPECT_EQ(job.lose(4, ++boundary, 2h), losses);
    job.reached.reset();  // a new process that has not come to the others
  }
  EXPECT_TRUE(job.ends());
}

TEST(LossLoop, of_work_that_any_rank_may_have_is_ten_losses_of_any) {
  LossLoop loop;
  std::uint32_t epoch = 0;
  const auto lose = [&](std::optional<std::uint64_t> reached) {
    ++epoch;
    loop.world_ended(
        {.epoch = epoch, .members = {0, 1, 2, 3}, .lost = {static_cast<Rank>(epoch % 4)}, .boundary = epoch},
        {.epoch = epoch, .supersteps = 4, .keeps_all = true, .reached = reached},
        LossLoop::Clock::time_point{epoch * 2min});
  };
  for (int losses = 0; losses < 30; ++losses)
    lose({});
  EXPECT_FALSE(loop.is_one_of_any()) << "it does not say how far it is";
  for (int losses = 1; losses < LossLoop::most_losses_of_any; ++losses)
    lose(7);
  EXPECT_FALSE(loop.is_one_of_any());
  lose(7);
  EXPECT_TRUE(loop.is_one_of_any());
  lose(8);
  EXPECT_FALSE(loop.is_one_of_any());
  EXPECT_EQ(loop.of_any_in_a_row(), 1);
}

TEST(LossLoop, counts_each_rank_alone) {
  LossLoop loop;
  for (int losses = 1; losses < LossLoop::most_losses; ++losses) {
    loop.lost_before_it_came(1);
    loop.lost_before_it_came(2);
  }
  EXPECT_FALSE(loop.is_one(1));
  loop.lost_before_it_came(1);
  EXPECT_TRUE(loop.is_one(1));
  EXPECT_FALSE(loop.is_one(2));
  EXPECT_EQ(loop.in_a_row(3), 0);
}

/// As where the peer timeout is shorter than the queue of a slow link is long.
TEST(LossLoop, is_one_too_where_ranks_agree_again_and_again_that_nobody_is_lost) {
  LossLoop loop;
  LossLoop::Clock::time_point now{1h};
  std::uint32_t epoch = 0;
  const auto agree = [&](std::uint64_t supersteps) {
    ++epoch;
    now += 2s;
    loop.world_ended(
        {.epoch = epoch, .members = {0, 1}, .lost = {}, .boundary = epoch},
        {.epoch = epoch, .supersteps = supersteps, .keeps_all = false, .reached = {}, .state = 1}, now);
    return loop.is_one_of_nobody();
  };
  for (int times = 0; times < 3 * LossLoop::most_losses_of_any; ++times)
    EXPECT_FALSE(agree(static_cast<std::uint64_t>(10 + 2 * times))) << "it gets further";
  // The last world that got further ended so, too.
  for (int times = 2; times < LossLoop::most_losses_of_any; ++times)
    EXPECT_FALSE(agree(30)) << times;
  EXPECT_TRUE(agree(30));
  EXPECT_EQ(loop.of_nobody_in_a_row(), LossLoop::most_losses_of_any);
}

}  // namespace
}  // namespace lbsp::launch::survival
