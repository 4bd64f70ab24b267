#include "tests/lbsp/plan/sharing_jobs.hpp"

#include <gtest/gtest.h>

/// Jobs that begin at other times have much the same of a link after a few seconds.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

struct Medians {
  double ratio;  ///< of what the one with the most has to what the one with the least has
  double drops;
  double most;  ///< datagrams in five seconds
};

/// On a link of `rate` Mbit/s whose queue holds so many bytes.
Medians medians(const SharingJobs& sharing, std::uint64_t queue_bytes, double rate = 50) {
  constexpr std::uint64_t seeds = 7;
  std::vector<double> ratios;
  std::vector<double> drops;
  std::vector<double> most;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto link = std::make_shared<Bottleneck>(
        BottleneckSpec{.rate = megabits_per_second(rate), .queue_bytes = queue_bytes, .exact = false});
    const Shares shared = shares(sharing, link, seed);
    ratios.push_back(shared.most / shared.least);
    drops.push_back(shared.drops);
    most.push_back(shared.most);
  }
  return {median_of(ratios), median_of(drops), median_of(most)};
}

TEST(SharingJobs, have_the_same_after_a_few_seconds) {
  for (const int number : {2, 4}) {
    const Medians found = medians({.number = number, .settle = 4s}, 250'000);
    EXPECT_LT(found.ratio, 1.25) << number;
    EXPECT_LT(found.drops, 0.005) << number;
  }
}

TEST(SharingJobs, have_the_same_where_datagrams_are_lost) {
  EXPECT_LT(medians({.wan = "rtt=40ms,loss=10%", .settle = 4s}, 250'000).ratio, 1.35);
}

TEST(SharingJobs, of_told_rates_have_the_same_too) {
  EXPECT_LT(medians({.told_megabits = 50, .settle = 4s}, 250'000).ratio, 1.35);
}

/// The first had 16 times as much as the last, and kept the queue full.
TEST(SharingJobs, on_a_short_path_have_the_same_and_drop_next_to_nothing) {
  const Medians found = medians({.wan = "rtt=5ms"}, 31'250);
  EXPECT_LT(found.ratio, 1.3);
  EXPECT_LT(found.drops, 0.01);
}

/// 4 ms of a round trip of 40 ms. The most was up to ten times the least, and 30 to 73 % were dropped for good.
TEST(SharingJobs, before_a_queue_that_is_too_short_to_stand_see_that_it_is_full) {
  const Medians found = medians({.settle = 20s}, 25'000);
  EXPECT_LT(found.ratio, 1.6);
  EXPECT_LT(found.drops, 0.04);
}

/// It kept the queue full, and 1.5 to 2.7 % of its datagrams were dropped.
TEST(SharingJobs, of_which_there_is_one_drop_next_to_nothing_before_a_short_queue) {
  for (const auto& [wan, queue] : {std::pair{"rtt=5ms", 31'250}, {"rtt=40ms", 25'000}})
    EXPECT_LT(medians({.number = 1, .wan = wan}, static_cast<std::uint64_t>(queue)).drops, 0.01) << wan;
}

/// 50 to 90 % were dropped for good: the queue never looked longer than what a datagram takes.
TEST(SharingJobs, before_a_queue_of_four_datagrams_do_not_drop_most_of_them) {
  EXPECT_LT(medians({.settle = 15s}, 5000, 1).drops, 0.35);
  EXPECT_LT(medians({.told_megabits = 1, .settle = 15s}, 5000, 1).drops, 0.35) << "told";
}

/// A job begins with ten times what such a link carries. 15 to 90 % were dropped for good, the most was up to 800 times
/// the least, and one job in ten ended with an error, as nothing new of its message came for 15 s: echoes are so far
/// apart there that a rank took the time between two for a pause, and so saw no queue.
TEST(SharingJobs, on_a_slow_link_with_a_long_queue_do_not_flood_it_for_good) {
  struct Link {
    const char* wan;
    std::uint64_t queue_bytes;
  };
  for (const Link& link :
       {Link{"rtt=40ms", 200'000}, Link{"rtt=100ms", 125'000}, Link{"rtt=100ms", 500'000}}) {
    EXPECT_LT(medians({.wan = link.wan, .settle = 20s}, link.queue_bytes, 10).drops, 0.06)
        << link.wan << " " << link.queue_bytes;
  }
}

/// The most had three times the least: what those who came filled took the first ones to next to nothing, from where
/// they rose by a quarter of it at a time.
TEST(SharingJobs, who_come_before_a_long_queue_has_left_leave_the_first_ones_their_part) {
  EXPECT_LT(medians({.wan = "rtt=100ms", .settle = 3s}, 1'000'000, 20).ratio, 1.8);
}

/// 6 % were.
TEST(SharingJobs, of_which_there_is_one_drop_little_before_a_queue_of_four_datagrams) {
  EXPECT_LT(medians({.number = 1, .settle = 9s}, 5000, 1).drops, 0.05);
}

/// Loss at random is no queue's.
TEST(SharingJobs, of_which_there_is_one_use_a_slow_link_that_loses_datagrams) {
  const Medians found = medians({.number = 1, .wan = "rtt=40ms,loss=20%", .settle = 15s}, 5000, 1);
  EXPECT_GT(found.most * 1400 * 8 / 5, 0.78e6);
  EXPECT_LT(found.drops, 0.05);
}

}  // namespace
}  // namespace lbsp::plan
