// Hosts that refuse to send to others, as their firewalls or routes say, in jobs that go on without some.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "lasting_job.hpp"

namespace lbsp::transport {
namespace {

using namespace ::testing;
using namespace std::chrono_literals;
using testing::LastingJob;

/// From half a second on, the host of `by` refuses to send to `to`, and, if `both_ways`, nothing comes from there.
std::unique_ptr<LastingJob> job_that_refuses(Slot size, MemberSet by, MemberSet to, bool both_ways,
                                             const LastingJob::Network& network = {}) {
  auto job = std::make_unique<LastingJob>(size, 300, network);
  job->refused = [=, passed = job.get()](Slot from, Slot other) {
    return passed->passed() > 500ms && by.has(from) && to.has(other);
  };
  if (both_ways)
    job->cut = [=, passed = job.get()](Slot from, Slot other) {
      return passed->passed() > 500ms && to.has(from) && by.has(other);
    };
  job->run_to_the_end(100s);
  return job;
}

/// Those are left out, the others come to their end, and who is left out names its own host.
void expect_left_out(LastingJob& job, MemberSet out) {
  for (Slot slot = 0; slot < job.size(); ++slot) {
    EXPECT_EQ(job.finished(slot), !out.has(slot)) << slot;
    if (!out.has(slot)) continue;
    ASSERT_TRUE(job.failed(slot)) << slot;
    EXPECT_THAT(job[slot].failure()->message,
                AllOf(HasSubstr(", and its own host refuses to send to rank "),
                      EndsWith(" (Operation not permitted): look at the firewall there")));
  }
}

TEST(LastingRefusals, cost_the_rank_whose_host_refuses_and_not_a_sound_one) {
  for (const bool both_ways : {false, true}) {
    SCOPED_TRACE(both_ways);
    expect_left_out(*job_that_refuses(3, {1}, {2}, both_ways), {1});
    expect_left_out(*job_that_refuses(5, {2}, {4}, both_ways), {2});
    expect_left_out(*job_that_refuses(3, {0}, {1, 2}, both_ways), {0});
    expect_left_out(*job_that_refuses(3, {0}, {1}, both_ways), {0});
  }
}

TEST(LastingRefusals, cost_all_ranks_of_a_host_that_refuses_where_another_hears_both_sides) {
  expect_left_out(*job_that_refuses(5, {0, 1}, {2, 3}, true), {0, 1});
}

TEST(LastingRefusals, cost_both_ranks_of_a_host_and_not_the_sound_one_that_misses_two) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const bool both_ways : {false, true}) {
      SCOPED_TRACE(std::to_string(seed) + (both_ways ? ", both ways" : ""));
      const LastingJob::Network network{.loss = 0.05, .seed = seed};
      expect_left_out(*job_that_refuses(5, {3, 4}, {1}, both_ways, network), {3, 4});
      expect_left_out(*job_that_refuses(5, {0, 1}, {4}, both_ways, network), {0, 1});
      expect_left_out(*job_that_refuses(4, {2, 3}, {1}, both_ways, network), {2, 3});
    }
  }
}

TEST(LastingRefusals, cost_the_same_rank_where_datagrams_are_lost) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    expect_left_out(*job_that_refuses(4, {1}, {3}, true, {.loss = 0.1, .seed = seed}), {1});
  }
}

/// It is a quorum with those that it still reaches, and the others are none.
TEST(LastingRefusals, do_not_end_a_job_whose_others_could_not_go_on_alone) {
  const auto job = job_that_refuses(2, {0}, {1}, false);
  EXPECT_TRUE(job->finished(0));
  EXPECT_TRUE(job->failed(1));
  const auto of_two_hosts = job_that_refuses(3, {0, 1}, {2}, false);
  EXPECT_TRUE(of_two_hosts->finished(0));
  EXPECT_TRUE(of_two_hosts->finished(1));
  EXPECT_TRUE(of_two_hosts->failed(2));
}

TEST(LastingRefusals, are_told_while_the_members_agree) {
  LastingJob job(3, 300, {});
  job.refused = [](Slot from, Slot to) { return from == 1 && to == 2; };
  HostRefusal told;
  for (int i = 0; i < 3000 && told.to.empty(); ++i) {
    job.run_for(1ms);
    told = job[1].missing().refusal;
  }
  EXPECT_EQ(told, (HostRefusal{.to = {2}, .error = EPERM}));
  EXPECT_EQ(job[0].missing().refusal, HostRefusal{});
}

}  // namespace
}  // namespace lbsp::transport
