#include "tools/probe/pair_queue.hpp"

#include <gtest/gtest.h>
#include <set>

namespace lbsp::probe {
namespace {

/// Hosts that share nothing.
std::vector<HostPlace> apart(int hosts) {
  return std::vector<HostPlace>(static_cast<std::size_t>(hosts));
}

/// All that may be measured at the same time now.
std::vector<Pair> start_all(PairQueue& queue) {
  std::vector<Pair> started;
  while (const auto pair = queue.next())
    started.push_back(*pair);
  return started;
}

TEST(PairQueue, measures_every_pair_once_and_no_host_in_two_at_a_time) {
  PairQueue queue(tournament(9), apart(9), std::nullopt);
  std::set<Pair> measured;
  while (!queue.done()) {
    start_all(queue);
    std::set<int> busy;
    for (const auto& [left, right] : queue.running()) {
      EXPECT_TRUE(busy.insert(left).second);
      EXPECT_TRUE(busy.insert(right).second);
    }
    ASSERT_FALSE(queue.running().empty());
    const Pair first = queue.running().front();
    EXPECT_TRUE(measured.insert(first).second);
    queue.measured(first);
  }
  EXPECT_EQ(measured.size(), 36U);
  EXPECT_TRUE(queue.failures().empty());
}

TEST(PairQueue, has_as_many_pairs_at_a_time_as_hosts_allow_or_as_asked_for) {
  PairQueue all(tournament(8), apart(8), std::nullopt);
  EXPECT_EQ(start_all(all).size(), 4U);
  PairQueue two(tournament(8), apart(8), 2);
  EXPECT_EQ(start_all(two).size(), 2U);
}

TEST(PairQueue, keeps_to_the_processors_of_a_machine_that_hosts_share) {
  PairQueue queue(tournament(12), apart(12), std::nullopt);
  for (int host = 0; host < 8; ++host)
    queue.set_machine(host, "one", 2);
  int ends_on_it = 0;
  for (const auto& [left, right] : start_all(queue))
    ends_on_it += (left < 8 ? 1 : 0) + (right < 8 ? 1 : 0);
  EXPECT_EQ(ends_on_it, 4);
  PairQueue asked(tournament(8), apart(8), 4);
  for (int host = 0; host < 8; ++host)
    asked.set_machine(host, "one", 1);
  EXPECT_EQ(start_all(asked).size(), 4U);
}

TEST(PairQueue, has_one_pair_at_a_time_on_a_site_s_uplink) {
  auto places = apart(8);
  for (std::size_t host = 0; host < 8; ++host)
    places[host].site = host < 4 ? "10.0.0" : "10.0.1";
  PairQueue queue(tournament(8), places, std::nullopt);
  int crossing = 0;
  for (const auto& [left, right] : start_all(queue))
    crossing += (left < 4) != (right < 4) ? 1 : 0;
  EXPECT_LE(crossing, 1);
  std::set<Pair> measured;
  while (!queue.done()) {
    start_all(queue);
    ASSERT_FALSE(queue.running().empty());
    measured.insert(queue.running().front());
    queue.measured(queue.running().front());
  }
  EXPECT_EQ(measured.size(), 28U);
}

TEST(PairQueue, tries_a_failed_pair_again_after_all_others_and_with_fewer_at_a_time) {
  PairQueue queue(tournament(8), apart(8), 4);
  std::size_t ended = 0;
  // Half of the pairs fail the first time, and of these half the second time.
  while (ended < 28) {
    start_all(queue);
    const Pair pair = queue.running().back();
    pair.second % 2 == 0 ? queue.failed(pair, "first") : queue.measured(pair);
    ++ended;
  }
  const std::size_t again = queue.left();
  EXPECT_GT(again, 4U);
  EXPECT_EQ(queue.failures().size(), again);
  EXPECT_EQ(start_all(queue).size(), 2U);
  for (ended = 0; ended < again; ++ended) {
    start_all(queue);
    queue.failed(queue.running().back(), "second");
  }
  EXPECT_EQ(start_all(queue).size(), 1U);
  queue.measured(queue.running().back());
  while (!queue.done()) {
    start_all(queue);
    queue.failed(queue.running().back(), "third");
  }
  EXPECT_EQ(queue.failures().size(), again - 1);
  for (const auto& [pair, why] : queue.failures())
    EXPECT_EQ(why, "third");
}

TEST(PairQueue, does_not_try_again_what_was_too_slow_alone) {
  PairQueue alone(tournament(2), apart(2), 1);
  start_all(alone);
  alone.failed(Pair{0, 1}, "too slow", true);
  EXPECT_TRUE(alone.done());
  EXPECT_EQ(alone.failures().size(), 1U);

  PairQueue beside_another(tournament(4), apart(4), 2);
  const auto running = start_all(beside_another);
  ASSERT_EQ(running.size(), 2U);
  const std::size_t before = beside_another.left();
  beside_another.failed(running.front(), "too slow", true);
  EXPECT_EQ(beside_another.left(), before);
}

TEST(PairQueue, gives_up_all_pairs_of_a_host_that_is_lost) {
  PairQueue queue(tournament(4), apart(4), 2);
  const auto running = start_all(queue);
  ASSERT_EQ(running.size(), 2U);
  queue.lose(0, "gone");
  for (const Pair& pair : running)
    pair.first == 0 ? queue.failed(pair, "stopped answering") : queue.measured(pair);
  while (!queue.done()) {
    start_all(queue);
    ASSERT_FALSE(queue.running().empty());
    EXPECT_NE(queue.running().front().first, 0);
    queue.measured(queue.running().front());
  }
  EXPECT_EQ(queue.failures().size(), 3U);
}

TEST(PairQueue, of_no_pairs_is_done) {
  PairQueue queue({}, apart(2), std::nullopt);
  EXPECT_TRUE(queue.done());
  EXPECT_EQ(queue.next(), std::nullopt);
}

}  // namespace
}  // namespace lbsp::probe
