#include "transport/lasting/lasting_endpoint.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "lasting_job.hpp"

namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t endless = 1'000'000;

/// Of each epoch all that entered it say the same.
void expect_one_world(const LastingJob& job) {
  std::map<std::uint32_t, WorldChange> known;
  for (Slot slot = 0; slot < job.size(); ++slot) {
    for (const WorldChange& change : job.changes(slot)) {
      const auto [entry, first] = known.emplace(change.epoch, change);
      if (first) continue;
      EXPECT_EQ(entry->second.members, change.members) << "epoch " << change.epoch << " of " << slot;
      EXPECT_EQ(entry->second.boundary, change.boundary) << "epoch " << change.epoch << " of " << slot;
    }
  }
  EXPECT_FALSE(job.wrong());
}

void expect_all_done(const LastingJob& job, const MemberSet& slots, std::uint64_t supersteps) {
  slots.for_each([&](Slot slot) {
    EXPECT_TRUE(job.finished(slot)) << slot;
    EXPECT_EQ(job.completed(slot), supersteps) << slot;
  });
}

TEST(LastingEndpoint, a_job_that_loses_nobody_ends_as_one_that_does_not_outlive_its_ranks) {
  for (const bool outlived : {false, true}) {
    LastingJob job(3, 100, {.loss = 0.1}, outlived);
    job.run_to_the_end(20s);
    expect_all_done(job, MemberSet::first(3), 100);
    for (Slot slot = 0; slot < 3; ++slot)
      EXPECT_TRUE(job.changes(slot).empty());
  }
}

TEST(LastingEndpoint, a_job_that_is_not_to_be_outlived_ends_with_any_of_its_ranks) {
  LastingJob job(3, endless, {}, false);
  job.run_for(1s);
  job.dead = {1};
  job.run_for(2s);
  EXPECT_TRUE(job.failed(0));
  EXPECT_TRUE(job.failed(2));
}

TEST(LastingEndpoint, those_that_are_left_go_on_from_a_common_boundary) {
  for (const Slot size : {3, 5}) {
    for (const Slot lost : {Slot{0}, size - 1}) {
      LastingJob job(size, endless, {.loss = 0.1});
      job.run_for(2s);
      job.dead = {lost};
      job.run_for(1200ms);
      (MemberSet::first(size) - job.dead).for_each([&](Slot slot) {
        ASSERT_EQ(job.changes(slot).size(), 1u) << size << " " << lost;
        const WorldChange& change = job.changes(slot).front();
        EXPECT_EQ(change.lost, std::vector<Rank>{lost});
        EXPECT_GE(change.silence, LastingJob::peer_timeout / 2);
        EXPECT_LT(change.agreement, 200ms);
        EXPECT_EQ(job[slot].world().size(), size - 1);
        EXPECT_GT(job.completed(slot), change.boundary + 2);
      });
      expect_one_world(job);
    }
  }
}

TEST(LastingEndpoint, one_after_the_other_may_be_lost) {
  LastingJob job(5, endless, {});
  for (const Slot lost : {4, 0, 2, 3}) {
    job.run_for(1s);
    job.dead.add(lost);
    job.run_for(1500ms);
  }
  EXPECT_EQ(job[1].world().size(), 1);
  EXPECT_EQ(job.changes(1).size(), 4u);
  EXPECT_FALSE(job.failed(1));
  EXPECT_FALSE(job.wrong());
}

TEST(LastingEndpoint, who_computes_for_long_learns_of_the_worlds_together_and_of_each_by_itself) {
  LastingJob job(5, endless, {});
  job.run_for(1s);
  job.computing = {1};
  for (const Slot lost : {4, 2}) {
    job.dead.add(lost);
    job.run_for(1500ms);
  }
  job.computing = {};
  job.run_for(500ms);
  ASSERT_EQ(job.changes(1).size(), 1u);
  const WorldChange& both = job.changes(1).front();
  EXPECT_EQ(both.epoch, 2u);
  EXPECT_EQ(both.lost, (std::vector<Rank>{4, 2}));
  const auto each = one_by_one(both);
  ASSERT_EQ(each.size(), 2u);
  EXPECT_EQ(each[0].epoch, 1u);
  EXPECT_EQ(each[0].lost, std::vector<Rank>{4});
  EXPECT_EQ(each[1].epoch, 2u);
  EXPECT_EQ(each[1].lost, std::vector<Rank>{2});
  expect_one_world(job);
}

TEST(LastingEndpoint, who_is_left_alone_tells_the_round_trip_that_was_measured_before) {
  LastingJob job(3, endless, {.delay = 20ms});
  job.run_for(1s);
  job.dead = {0};
  job.run_for(1500ms);
  job.dead = {0, 2};
  job.run_for(1500ms);
  ASSERT_EQ(job[1].world().size(), 1);
  EXPECT_GE(job[1].world().network().round_trip_time, 40ms);
  EXPECT_LT(job[1].world().network().round_trip_time, 60ms);
}

TEST(LastingEndpoint, the_smaller_side_of_a_split_ends_and_the_larger_goes_on) {
  LastingJob job(5, endless, {.loss = 0.05});
  job.run_for(1s);
  job.cut = [](Slot from, Slot to) { return (from < 3) != (to < 3); };
  job.run_for(3s);
  job.cut = [](Slot, Slot) { return false; };
  job.run_for(3s);
  for (const Slot slot : {0, 1, 2}) {
    EXPECT_FALSE(job.failed(slot));
    EXPECT_EQ(job[slot].world().size(), 3);
  }
  for (const Slot slot : {3, 4}) {
    ASSERT_TRUE(job.failed(slot));
    EXPECT_EQ(job[slot].failure()->message,
              "only 2 of 5 ranks answer, too few to go on: look at the network between the hosts");
  }
  expect_one_world(job);
}

TEST(LastingEndpoint, a_path_that_carries_one_way_only_costs_one_rank_and_not_the_job) {
  LastingJob job(4, endless, {.loss = 0.05});
  job.run_for(1s);
  job.cut = [](Slot from, Slot to) { return from == 1 && to == 2; };
  job.run_for(5s);
  MemberSet going_on;
  for (Slot slot = 0; slot < 4; ++slot)
    if (!job.failed(slot)) going_on.add(slot);
  EXPECT_EQ(going_on.count(), 3);
  expect_one_world(job);
}

TEST(LastingEndpoint, who_slept_through_its_removal_ends_itself) {
  LastingJob job(4, endless, {});
  job.frozen = [](Slot slot, Duration passed) { return slot == 0 && passed > 1s && passed < 6s; };
  job.run_for(8500ms);
  ASSERT_TRUE(job.failed(0));
  EXPECT_EQ(job[0].failure()->kind, Failure::Kind::excluded);
  for (const Slot slot : {1, 2, 3})
    EXPECT_EQ(job[slot].world().size(), 3);
  expect_one_world(job);
}

TEST(LastingEndpoint, an_abort_ends_all_also_while_they_agree) {
  LastingJob job(4, endless, {});
  job.run_for(1s);
  job.dead = {3};
  job.run_for(1005ms);
  job[1].abort("no more", Instant{1s} + job.passed());
  job.run_for(200ms);
  for (const Slot slot : {0, 1, 2}) {
    ASSERT_TRUE(job.failed(slot)) << slot;
    EXPECT_EQ(job[slot].failure()->kind, Failure::Kind::aborted);
  }
}

TEST(LastingEndpoint, nobody_leaves_while_another_may_need_it_to_go_on) {
  // In each of these milliseconds one dies, around the last superstep and the farewell.
  for (Duration at = 0ms; at < 400ms; at += 5ms) {
    LastingJob job(3, 10, {.loss = 0.1, .seed = static_cast<std::uint64_t>(1 + at / 1ms)});
    job.run_for(at);
    job.dead = {2};
    job.run_to_the_end(30s);
    SCOPED_TRACE(fmt::format("dies after {} ms", at / 1ms));
    expect_all_done(job, {0, 1}, 10);
    expect_one_world(job);
  }
}

/// Deaths and sleeps of fewer than half of the ranks, at any time, also of several at once and while others agree.
struct Misfortunes {
  explicit Misfortunes(std::uint64_t seed) : random(splitmix(seed)) {
    size = 3 + static_cast<Slot>(random() % 6);
    const Slot most = (size - 1) / 2;
    for (Slot i = 0; i < most; ++i) {
      const auto slot = static_cast<Slot>(random() % static_cast<std::uint64_t>(size));
      // Every other one follows the one before so that it falls into the agreement.
      const Duration at = i % 2 == 0 || events.empty() ? ms(1800) : last + 900ms + ms(300);
      last = at;
      const bool sleeps = random() % 3 == 0;
      events[slot] = {at, sleeps ? at + 200ms + ms(3000) : never_ends};
    }
  }

  Duration ms(std::uint64_t most) { return std::chrono::milliseconds{random() % most}; }
  bool frozen(Slot slot, Duration passed) const {
    const auto event = events.find(slot);
    return event != events.end() && event->second.first <= passed && passed < event->second.second;
  }
  MemberSet touched() const {
    MemberSet set;
    for (const auto& [slot, when] : events)
      set.add(slot);
    return set;
  }
  MemberSet for_ever() const {
    MemberSet set;
    for (const auto& [slot, when] : events)
      if (when.second == never_ends) set.add(slot);
    return set;
  }

  static constexpr Duration never_ends = std::chrono::hours{1};
  std::mt19937_64 random;
  Slot size = 3;
  Duration last{0};
  std::map<Slot, std::pair<Duration, Duration>> events;
};

TEST(LastingEndpoint, whatever_happens_to_fewer_than_half_the_others_come_to_the_right_end) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Misfortunes misfortunes(seed);
    const Duration delay = 5ms * (1 + seed % 5);
    const auto supersteps = static_cast<std::uint64_t>(2s / delay);
    LastingJob job(misfortunes.size, supersteps,
                   {.loss = 0.03 * static_cast<double>(seed % 6), .delay = delay, .seed = seed});
    job.frozen = [&](Slot slot, Duration passed) { return misfortunes.frozen(slot, passed); };
    job.run_for(8s);
    job.dead = misfortunes.for_ever();
    job.run_to_the_end(60s);
    const MemberSet untouched = MemberSet::first(job.size()) - misfortunes.touched();
    expect_all_done(job, untouched, supersteps);
    (misfortunes.touched() - misfortunes.for_ever()).for_each([&](Slot slot) {
      EXPECT_TRUE(job.finished(slot) || job.failed(slot)) << slot;
    });
    expect_one_world(job);
    changed += job.changes(untouched.lowest()).empty() ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(changed, 40);
}

TEST(LastingEndpoint, loses_nobody_whose_datagrams_wait_in_the_queue_of_a_slow_uplink) {
  for (const double megabits : {1., 2.}) {
    for (const Slot size : {4, 8}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        LastingJob job(size, endless,
                       {.loss = 0.1, .seed = seed, .uplink = megabits * 125e3, .message_bytes = 20'000});
        job.run_for(30s);
        for (Slot slot = 0; slot < size; ++slot) {
          EXPECT_FALSE(job.failed(slot))
              << megabits << " " << size << " seed " << seed << ": " << job[slot].failure()->message;
          EXPECT_EQ(job.changes(slot).size(), 0u) << megabits << " " << size << " seed " << seed;
        }
        EXPECT_GT(job.completed(0), 1u);
      }
    }
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
