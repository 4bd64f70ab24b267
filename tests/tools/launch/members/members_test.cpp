#include "tools/launch/members/members.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"

namespace lbsp::launch::members {
namespace {

request::RunOptions options_of_lasting_job(bool respawns) {
  request::RunOptions options;
  options.ranks = 3;
  options.program = "true";
  options.exchange.outlives_ranks = true;
  if (respawns) options.exchange.newcomer_wait = std::chrono::seconds{10};
  return options;
}

/// A job of three ranks that goes on without lost ones, or gets new processes for them, as its launcher knows it. What
/// its ranks and hosts tell, the test tells.
class LastingJob {
 public:
  explicit LastingJob(bool respawns) : options_(options_of_lasting_job(respawns)) {
    job_.hosts.start(hosts::LocalHost::Input::frames);
    for (Rank rank = 0; rank < 3; ++rank)
      job_.start_up.hello(rank, {.port = 7, .ciphers = {}});
    job_.losses().begin(3);
    ending_.begin();
  }

  void end(Rank rank) {
    ranks::JobProcess& process = job_.processes.holder(rank);
    process.ended = process.exited = true;
    members_.lose(process, "rank " + std::to_string(rank) + " was killed");
  }
  void miss(Rank rank) { members_.take_exclusion(job_.processes.holder(rank), rank, "it was silent"); }
  void greet_newcomer_for(Rank rank) {
    from_newcomer_for(rank, job::FrameKind::hello, job::to_payload(job::Hello{.port = 8, .ciphers = {}}));
  }
  void end_newcomer_for(Rank rank) {
    from_newcomer_for(rank, job::FrameKind::exited,
                      job::to_payload(job::Exited{.code = 0, .signal = SIGKILL, .problem = {}}));
  }
  /// The others have got this process in the place of a lost one.
  void agree(std::uint32_t epoch, Rank seated, int newcomer) {
    job::Changed change;
    change.epoch = epoch;
    change.members = {0, 1, 2};
    change.lost = change.seated = {seated};
    change.newcomers = {static_cast<std::uint32_t>(newcomer)};
    members_.take_changed(change);
    members_.take_left({.epoch = epoch, .supersteps = 5});
  }
  void begin_joining_as(Rank rank) {
    const std::size_t host = job_.add_host({.name = "localhost",
                                            .user = {},
                                            .address = "127.0.0.1",
                                            .local = true,
                                            .first_rank = rank,
                                            .ranks = 1});
    job_.processes.add_joining(rank, host, job_.placement.hosts[host]);
  }
  /// The others have let it in.
  void let_in(std::uint32_t epoch, Rank rank, int newcomer) {
    job::Changed change;
    change.epoch = epoch;
    for (Rank member = 0; member <= rank; ++member)
      change.members.push_back(member);
    change.seated = {rank};
    change.newcomers = {static_cast<std::uint32_t>(newcomer)};
    members_.take_changed(change);
  }
  /// The others go on without it.
  void leave_behind(std::uint32_t epoch, Rank lost) {
    job::Changed change;
    change.epoch = epoch;
    change.members = {0, 1, 2};
    change.lost = {lost};
    members_.take_changed(change);
  }

  /// Of a rank that has one.
  bool dismissed_newcomer_for(Rank rank) { return job_.processes.newcomer_for(rank)->dismissed; }
  bool awaits_newcomer_for(Rank rank) { return job_.processes.newcomer_for(rank) != nullptr; }
  std::ptrdiff_t processes() const { return std::distance(job_.processes.begin(), job_.processes.end()); }
  const survival::Losses& losses() const { return job_.losses(); }
  bool knows(Rank rank) const { return job_.processes.has_holder(rank); }
  int in_a_row(Rank rank) const { return job_.losses().newest(rank).in_a_row; }
  const std::string& how(Rank rank) const { return job_.losses().newest(rank).how; }

 private:
  void from_newcomer_for(Rank rank, job::FrameKind kind, const std::string& payload) {
    ranks::JobProcess& newcomer = *job_.processes.newcomer_for(rank);
    members_.take_from_outside(newcomer,
                               {kind, static_cast<std::uint16_t>(newcomer.spawn.first_rank), payload});
  }

  request::RunOptions options_;
  uv::Loop loop_;
  course::Job job_{loop_,
                   options_,
                   places::place_ranks(options_),
                   nullptr,
                   {.on_frame = [](std::size_t, const job::Frame&) {}, .on_gone = {}}};
  terminal::OutputWriter writer_{loop_, [] {}};
  course::Ending ending_{loop_, job_, writer_, {[] {}, [] {}, [] {}}};
  Members members_{loop_,
                   job_,
                   ending_,
                   {.say = [](const std::string&) {},
                    .on_world = [](const job::Changed&) {},
                    .joining = {.on_host = [] {}, .on_size = [](Rank) {}}}};
};

// The processes at the job's start are numbers 0 to 2, and new ones have the next.

/// The others agree to go on without rank 1, and do not miss rank 2 yet.
TEST(Members, keep_the_newcomer_of_a_rank_that_has_ended_since_the_others_agreed) {
  LastingJob job(true);
  job.end(1);
  job.end(2);
  job.greet_newcomer_for(1);
  job.agree(1, 1, 3);
  ASSERT_TRUE(job.awaits_newcomer_for(2));
  EXPECT_FALSE(job.dismissed_newcomer_for(2));
  job.greet_newcomer_for(2);
  job.agree(2, 2, 4);
  EXPECT_EQ(job.in_a_row(2), 1);
  EXPECT_EQ(job.processes(), 3 + 2);
}

TEST(Members, dismiss_the_newcomer_of_a_rank_that_was_only_silent) {
  LastingJob job(true);
  job.end(1);
  job.miss(2);
  job.greet_newcomer_for(1);
  job.agree(1, 1, 3);
  ASSERT_TRUE(job.awaits_newcomer_for(2));
  EXPECT_TRUE(job.dismissed_newcomer_for(2));
  job.end_newcomer_for(2);
  EXPECT_FALSE(job.awaits_newcomer_for(2));
  EXPECT_EQ(job.processes(), 3 + 2);
}

TEST(Members, begin_another_where_the_rank_has_ended_before_the_newcomer_that_was_dismissed) {
  LastingJob job(true);
  job.end(1);
  job.miss(2);
  job.greet_newcomer_for(1);
  job.agree(1, 1, 3);
  job.end(2);
  job.end_newcomer_for(2);
  ASSERT_TRUE(job.awaits_newcomer_for(2));
  EXPECT_FALSE(job.dismissed_newcomer_for(2));
  job.greet_newcomer_for(2);
  job.agree(2, 2, 5);
  EXPECT_EQ(job.in_a_row(2), 1) << "that it was dismissed was no loss";
}

/// It had got the place, and was killed before the others said so: the one that has been begun since has none yet,
/// whether or not it has said hello.
TEST(Members, seat_the_newcomer_that_the_others_name_though_it_has_ended) {
  for (const bool next_has_come : {false, true}) {
    LastingJob job(true);
    job.end(1);
    job.greet_newcomer_for(1);
    job.end_newcomer_for(1);
    if (next_has_come) job.greet_newcomer_for(1);
    job.agree(1, 1, 3);
    ASSERT_TRUE(job.awaits_newcomer_for(1));
    EXPECT_FALSE(job.dismissed_newcomer_for(1));
    if (!next_has_come) job.greet_newcomer_for(1);
    job.agree(2, 1, 4);
    EXPECT_FALSE(job.awaits_newcomer_for(1));
    EXPECT_EQ(job.processes(), 3 + 2);
    EXPECT_EQ(job.in_a_row(1), 2) << "two processes have ended";
    EXPECT_THAT(job.how(1), testing::HasSubstr("was killed by SIGKILL"));
  }
}

TEST(Members, count_each_newcomer_that_ends_before_it_came) {
  LastingJob job(true);
  job.end(1);
  job.end_newcomer_for(1);
  job.end_newcomer_for(1);
  job.greet_newcomer_for(1);
  job.agree(1, 1, 5);
  EXPECT_EQ(job.in_a_row(1), 3);
}

/// Else the others would wait for it until they miss it.
TEST(Members, are_without_one_that_was_let_in_though_it_has_ended) {
  for (const bool respawns : {false, true}) {
    LastingJob job(respawns);
    job.begin_joining_as(3);
    job.greet_newcomer_for(3);
    job.end_newcomer_for(3);
    job.let_in(1, 3, 3);
    ASSERT_TRUE(job.knows(3)) << "the others are told of the ends of those that have a place";
    EXPECT_TRUE(job.losses().has(3));
    job.leave_behind(2, 3);
    ASSERT_EQ(job.losses().all().size(), 1U) << "one process has ended";
    EXPECT_THAT(job.how(3), testing::StartsWith("rank 3 on localhost was killed by SIGKILL"));
    EXPECT_FALSE(job.losses().never_joined(3));
    EXPECT_EQ(job.processes(), 3 + 1);
  }
}

}  // namespace
}  // namespace lbsp::launch::members
