// What processes of a job that outlives its ranks know of the network: what they fill while they know nothing, and what
// they know still when the world has changed.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "lasting_job.hpp"

namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

/// Each rank begins to send fifty times as fast as its link carries, and a long message to one other rank stands in the
/// link's queue for longer than the peer timeout.
LastingJob::Network slow_links(double megabits, std::size_t long_bytes, Duration patience) {
  return {.loss = 0.02,
          .delay = 25ms,
          .uplink = megabits * 125e3,
          .message_bytes = 200,
          .long_bytes = long_bytes,
          .first_rate = megabits_per_second(100),
          .patience = patience};
}

void expect_nobody_lost(const LastingJob::Network& network, Slot size, Duration most) {
  LastingJob job(size, 15, network);
  job.run_to_the_end(most);
  for (Slot slot = 0; slot < size; ++slot) {
    EXPECT_TRUE(job.finished(slot)) << slot;
    EXPECT_EQ(job.changes(slot).size(), 0u) << slot;
  }
  EXPECT_FALSE(job.wrong());
}

TEST(LastingPaths, nobody_is_given_up_while_a_rate_is_found_that_is_far_lower_than_the_first) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    LastingJob::Network network = slow_links(2, 400'000, 500ms);
    network.seed = seed;
    expect_nobody_lost(network, 5, 10s);
    network.loss = 0.1;
    expect_nobody_lost(network, 8, 20s);
    network = slow_links(0.5, 400'000, 1s);
    network.seed = seed;
    expect_nobody_lost(network, 5, 40s);
  }
}

TEST(LastingPaths, a_new_world_begins_with_the_rates_and_lengths_that_were_found) {
  LastingJob::Network network = slow_links(2, 400'000, 1s);
  network.message_bytes = 4000;
  network.seed = 12;
  LastingJob job(5, 1'000'000, network);
  job.too_long = [](Slot to, std::size_t bytes) { return to == 3 && bytes > 700; };
  job.run_for(8s);
  const MemberSet left{0, 2, 3, 4};
  std::map<Slot, double> rate;
  left.for_each([&](Slot slot) {
    ASSERT_EQ(job.changes(slot).size(), 0u) << slot;
    rate[slot] = job[slot].world().network().rate.value;
  });
  EXPECT_LT(rate[0], megabits_per_second(10).value);
  job.dead = {1};
  for (int i = 0; i < 3000 && job.changes(0).empty(); ++i)
    job.run_for(1ms);
  ASSERT_EQ(job.changes(0).size(), 1u);
  // Ranks are others now.
  EXPECT_LE(job[0].world().ways().datagram_bytes(3), 700u);
  EXPECT_EQ(job[0].world().ways().datagram_bytes(2), 1400u);
  EXPECT_EQ(job[0].world().ways().datagram_bytes(4), 1400u);
  job.run_for(100ms);
  // What limits rank 2 is how little comes through to the next one, which is seen anew.
  MemberSet{0, 3}.for_each([&](Slot slot) {
    ASSERT_EQ(job.changes(slot).size(), 1u) << slot;
    EXPECT_LT(job[slot].world().network().rate.value, 2.5 * rate[slot]) << slot;
  });
  job.run_for(20s);
  left.for_each([&](Slot slot) { EXPECT_EQ(job.changes(slot).size(), 1u) << slot; });
  EXPECT_FALSE(job.wrong());
}

/// Rates have been found by some of them then, and others have hardly begun to send. In one job of six the world
/// changes once more, and loses nobody then: some were only slow.
TEST(LastingPaths, one_dies_and_nobody_else_is_given_up_while_rates_are_found) {
  int with_another_change = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    LastingJob::Network network = slow_links(2, 400'000, 500ms);
    network.seed = seed;
    network.loss = 0.1;
    LastingJob job(8, 15, network);
    job.run_for(1500ms + seed % 6 * 137ms);
    job.dead = {static_cast<Slot>(1 + seed % 3)};
    job.run_to_the_end(20s);
    const MemberSet left = MemberSet::first(8) - job.dead;
    std::vector<Rank> members;
    left.for_each([&](Slot slot) { members.push_back(slot); });
    left.for_each([&](Slot slot) {
      EXPECT_TRUE(job.finished(slot)) << slot;
      ASSERT_FALSE(job.changes(slot).empty()) << slot;
      EXPECT_LE(job.changes(slot).size(), 2u) << slot;
      EXPECT_EQ(job.changes(slot).back().members, members) << slot;
      for (const WorldChange& change : job.changes(slot))
        EXPECT_TRUE(std::ranges::includes(change.members, members)) << slot;
    });
    with_another_change += job.changes(0).size() > 1 ? 1 : 0;
    EXPECT_FALSE(job.wrong());
  }
  EXPECT_LE(with_another_change, 4);
}

/// Links become a hundredth as fast. What had been sent, at the rate of before, keeps the ranks silent for longer than
/// the peer timeout. Each new world began with that rate, and filled them again.
TEST(LastingPaths, a_world_that_follows_one_of_slow_ranks_does_not_begin_with_its_rate) {
  std::size_t changes = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    LastingJob::Network network = slow_links(50, 500'000, 2s);
    network.loss = 0.01;
    network.message_bytes = 2000;
    network.seed = seed;
    LastingJob job(4, 1'000'000, network);
    job.run_for(1500ms);
    job.set_uplink(64e3);
    job.run_for(30s);
    EXPECT_FALSE(job.wrong());
    changes += job.changes(1).size();
  }
  EXPECT_LE(changes, 6u) << "12";
}

/// Messages to all fill a link for two seconds, twice the peer timeout. When nothing had told what the link carries,
/// the survivors heard each other too late to agree, and the job ended.
TEST(LastingPaths, one_dies_while_first_long_messages_to_all_are_under_way) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    LastingJob::Network network = slow_links(0.5, 20'000, 1s);
    network.message_bytes = 20'000;
    network.seed = seed;
    LastingJob job(8, 3, network);
    job.run_for(1500ms + seed * 137ms);
    job.dead = {static_cast<Slot>(1 + seed % 3)};
    job.run_to_the_end(40s);
    const MemberSet left = MemberSet::first(8) - job.dead;
    left.for_each([&](Slot slot) { EXPECT_TRUE(job.finished(slot)) << slot; });
    EXPECT_FALSE(job.wrong());
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
