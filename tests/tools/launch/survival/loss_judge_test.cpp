#include "tools/launch/survival/loss_judge.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lbsp::launch::survival {
namespace {

using namespace std::chrono_literals;

places::Placement three_hosts() {
  places::Placement placement;
  placement.size = 3;
  for (const char* const name : {"a", "b", "c"}) {
    places::PlacedHost host;
    host.name = name;
    host.first_rank = static_cast<Rank>(placement.hosts.size());
    host.ranks = 1;
    placement.hosts.push_back(host);
  }
  return placement;
}

/// Three ranks on hosts of their own, of which rank 1 is lost, and nobody gets any further.
class JudgedJob {
 public:
  explicit JudgedJob(bool respawns) {
    options_.exchange.peer_timeout = 4s;
    if (respawns) options_.exchange.newcomer_wait = 1s;
    losses_.begin(3);
  }

  /// Empty `how`: it is silent.
  std::string lose(const std::string& how, transport::Duration silence = {},
                   const std::vector<Rank>& lost = {1}) {
    if (!how.empty()) losses_.add(lost.back(), how);
    job::Changed change;
    change.epoch = ++epoch_;
    change.members = options_.respawns() ? std::vector<Rank>{0, 1, 2} : std::vector<Rank>{0, 2};
    change.lost = lost;
    if (options_.respawns()) change.seated = {1};
    change.silence = silence;
    losses_.changed(change);
    return leave(epoch_);
  }
  /// A rank has left the world before that epoch.
  std::string leave(std::uint32_t epoch) {
    return judge_.take_left({.epoch = epoch, .supersteps = 7, .state = 0}, LossLoop::Clock::time_point{1h});
  }
  std::string lose_newcomer(const std::string& how) { return judge_.take_lost_newcomer(1, how); }

  const std::vector<std::string>& said() const { return said_; }

 private:
  request::RunOptions options_;
  places::Placement placement_ = three_hosts();
  Losses losses_{true};
  std::vector<std::string> said_;
  LossJudge judge_{options_, placement_, losses_, [this](const std::string& text) { said_.push_back(text); }};
  std::uint32_t epoch_ = 0;
};

TEST(LossJudge, says_how_many_go_on_without_a_lost_rank) {
  JudgedJob job(false);
  EXPECT_EQ(job.lose("rank 1 on b was ended by SIGKILL"), "");
  EXPECT_EQ(job.said(),
            std::vector<std::string>{"rank 1 on b was ended by SIGKILL: 2 ranks go on without it"});
}

TEST(LossJudge, names_the_rank_where_the_reason_is_about_its_host) {
  JudgedJob job(false);
  job.lose("host b: the connection ended");
  EXPECT_EQ(job.said().back(),
            "rank 1 on b was lost: host b: the connection ended: 2 ranks go on without it");
}

TEST(LossJudge, says_of_whom_only_some_heard_that_the_others_did_not) {
  JudgedJob silent(false);
  silent.lose("", 4s);
  EXPECT_EQ(silent.said().back(), "rank 1 on b was silent for 4 s: 2 ranks go on without it");
  JudgedJob heard_by_one(false);
  heard_by_one.lose("", 1s);
  EXPECT_EQ(heard_by_one.said().back(),
            "rank 1 on b was not heard by the others for too long: 2 ranks go on without it");
}

/// The world knows of the one that was heard last for how long it has been silent.
TEST(LossJudge, says_no_more_than_is_known_of_one_that_was_silent_before_another_ended) {
  JudgedJob job(false);
  job.lose("rank 2 on c was killed", 3s, {1, 2});
  ASSERT_EQ(job.said().size(), 2U);
  EXPECT_THAT(job.said().front(), testing::StartsWith("rank 1 on b was silent for 3 s at least: "));
}

TEST(LossJudge, counts_a_world_once_though_all_its_ranks_leave_it) {
  JudgedJob job(true);
  job.lose("rank 1 on b crashed");
  EXPECT_EQ(job.leave(1), "");
  EXPECT_EQ(job.said().size(), 1U);
  job.lose("rank 1 on b crashed");
  EXPECT_EQ(job.said().back(),
            "rank 1 on b crashed: a new process has its place (lost 2 times in a row without progress)");
}

TEST(LossJudge, ends_a_job_whose_rank_is_lost_again_and_again) {
  JudgedJob job(true);
  for (int losses = 1; losses < LossLoop::most_losses; ++losses)
    EXPECT_EQ(job.lose("rank 1 on b crashed"), "");
  EXPECT_EQ(
      job.lose("rank 1 on b crashed"),
      "rank 1 was lost 5 times in a row, and the job got no further, the last time: rank 1 on b crashed");
  EXPECT_EQ(job.said().size(), 4U) << "the last one is in the reason for the end";
}

TEST(LossJudge, advises_where_the_rank_was_silent_each_time) {
  JudgedJob job(true);
  for (int losses = 1; losses < LossLoop::most_losses; ++losses)
    EXPECT_EQ(job.lose("", 4s), "");
  EXPECT_EQ(
      job.lose("", 4s),
      "rank 1 was lost 5 times in a row, and the job got no further, the last time: rank 1 on b was silent "
      "for 4 s: look at its host and network, or raise --peer-timeout");
}

TEST(LossJudge, counts_new_processes_that_never_come_to_the_others) {
  JudgedJob job(true);
  job.lose("rank 1 on b crashed");
  for (int losses = 2; losses < LossLoop::most_losses; ++losses)
    EXPECT_EQ(job.lose_newcomer("rank 1 on b ended early"), "");
  EXPECT_EQ(
      job.lose_newcomer("rank 1 on b ended early"),
      "rank 1 was lost 5 times in a row, and the job got no further, the last time: rank 1 on b ended early");
}

TEST(LossJudge, lets_a_job_without_new_processes_lose_as_often_as_it_likes) {
  JudgedJob job(false);
  for (int losses = 1; losses < 2 * LossLoop::most_losses_of_any; ++losses)
    EXPECT_EQ(job.lose("rank 1 on b crashed"), "");
}

}  // namespace
}  // namespace lbsp::launch::survival
