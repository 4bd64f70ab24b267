#include "transport/probe/size_search.hpp"

#include <gtest/gtest.h>

#include "transport/impairment/random.hpp"

namespace lbsp::transport::probe {
namespace {

struct Found {
  std::uint32_t bytes;
  int steps;
  std::uint32_t datagrams;
};

/// The search on a path that carries `limit` bytes and loses some datagrams by chance.
Found search(std::uint32_t limit, double loss, std::uint64_t seed) {
  transport::Random random(seed);
  SizeSearch search;
  Found found{};
  for (auto trials = search.next(); !trials.empty(); trials = search.next()) {
    EXPECT_LE(trials.size(), SizeSearch::most_sizes_in_step);
    std::vector<std::uint32_t> arrived;
    for (const auto& trial : trials) {
      arrived.push_back(0);
      found.datagrams += trial.count;
      for (std::uint32_t i = 0; i < trial.count; ++i)
        if (trial.bytes <= limit && !random.happens(loss)) ++arrived.back();
    }
    search.take(trials, arrived);
    ++found.steps;
  }
  found.bytes = search.largest();
  return found;
}

TEST(SizeSearch, finds_every_limit_exactly_where_nothing_is_lost) {
  for (std::uint32_t limit = 548; limit <= 3000; ++limit)
    ASSERT_EQ(search(limit, 0, 1).bytes, limit);
  for (std::uint32_t limit = 3000; limit <= 65507; limit += 97)
    ASSERT_EQ(search(limit, 0, 1).bytes, limit);
  EXPECT_EQ(search(65507, 0, 1).bytes, 65507U);
}

TEST(SizeSearch, takes_two_steps_on_an_ethernet_and_few_elsewhere) {
  EXPECT_EQ(search(1472, 0, 1).steps, 2);
  EXPECT_LE(search(1392, 0, 1).steps, 3);
  EXPECT_LE(search(8972, 0, 1).steps, 4);
  EXPECT_EQ(search(65507, 0, 1).steps, 2);
  for (const std::uint32_t limit : {600U, 1272U, 1300U, 1500U, 3000U, 20000U, 65000U})
    EXPECT_LE(search(limit, 0, 1).steps, 9) << limit;
  EXPECT_LE(search(1472, 0, 1).datagrams, 80U);
}

TEST(SizeSearch, does_not_mistake_random_loss_for_a_limit) {
  constexpr std::uint64_t seeds = 20'000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    ASSERT_EQ(search(1472, 0.15, seed).bytes, 1472U) << seed;
    ASSERT_EQ(search(1392, 0.15, seed).bytes, 1392U) << seed;
    ASSERT_EQ(search(1301, 0.15, seed).bytes, 1301U) << seed;
  }
  for (std::uint64_t seed = 1; seed <= seeds / 20; ++seed)
    ASSERT_EQ(search(1472, 0.5, seed).bytes, 1472U) << seed;
}

TEST(SizeSearch, does_not_take_an_outage_for_a_limit) {
  SizeSearch search;
  const auto all_of = [](const std::vector<SizeTrial>& trials, std::uint32_t limit) {
    std::vector<std::uint32_t> arrived;
    arrived.reserve(trials.size());
    for (const auto& trial : trials)
      arrived.push_back(trial.bytes <= limit ? trial.count : 0);
    return arrived;
  };
  auto trials = search.next();
  search.take(trials, all_of(trials, 1392));
  for (int step = 0; step < 5; ++step) {
    trials = search.next();
    ASSERT_FALSE(trials.empty());
    search.take(trials, all_of(trials, 0));
  }
  while (!(trials = search.next()).empty())
    search.take(trials, all_of(trials, 1400));
  EXPECT_EQ(search.largest(), 1400U);
}

TEST(SizeSearch, ends_where_nothing_arrives) {
  const Found found = search(0, 0, 1);
  EXPECT_EQ(found.bytes, 0U);
  EXPECT_LE(found.steps, SizeSearch::most_steps);
}

}  // namespace
}  // namespace lbsp::transport::probe
