#include "transport/path_log.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

std::vector<std::uint64_t> numbers(const PathLog& log) {
  std::vector<std::uint64_t> out;
  for (const PathEvent& event : log.events())
    out.push_back(event.number);
  return out;
}

TEST(PathLog, keeps_the_newest_events_and_counts_the_others) {
  PathLog log(2, 3);
  EXPECT_THAT(numbers(log), ElementsAre());
  log.add({.peer = 1, .number = 0});
  log.add({.peer = 1, .number = 1});
  EXPECT_THAT(numbers(log), ElementsAre(0, 1));
  EXPECT_EQ(log.dropped(), 0U);
  for (std::uint64_t number = 2; number < 7; ++number)
    log.add({.peer = 1, .number = number});
  EXPECT_THAT(numbers(log), ElementsAre(4, 5, 6));
  EXPECT_EQ(log.dropped(), 4U);
}

TEST(PathLog, keeps_counts_only_where_no_events_are_wanted) {
  PathLog log(3, 0);
  log.add({.peer = 1});
  log.add_measured({.what = PathEvent::What::measured, .peer = 1, .round_trip = 1ms});
  log.count({2, 10, 1});
  log.count({2, 20, 3});
  EXPECT_EQ(log.events().size(), 0U);
  EXPECT_EQ(log.dropped(), 0U);
  EXPECT_THAT(log.counts(), ElementsAre(PathCounts{2, 20, 3}));
}

TEST(PathLog, adds_what_was_measured_when_it_has_changed) {
  PathLog log(3, 10);
  const auto measured = [](Rank peer, Duration round_trip, double rate) {
    return PathEvent{.what = PathEvent::What::measured,
                     .peer = peer,
                     .round_trip = round_trip,
                     .least = 10ms,
                     .rate = {rate}};
  };
  log.add_measured(measured(1, 20ms, 1e6));
  log.add_measured(measured(1, 20500us, 1e6));
  EXPECT_EQ(log.events().size(), 1U);
  log.add_measured(measured(2, 20ms, 1e6));  // another path
  EXPECT_EQ(log.events().size(), 2U);
  log.add_measured(measured(1, 30ms, 1e6));
  log.add_measured(measured(1, 30ms, 2e6));
  EXPECT_EQ(log.events().size(), 4U);
}

}  // namespace
}  // namespace lbsp::transport
