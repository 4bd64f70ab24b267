#include "transport/lasting/earlier_worlds.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// A world of three whose rank 0 is on this host.
struct OverWorld {
  static EndpointConfig config() {
    EndpointConfig of_rank_0;
    of_rank_0.rank = 0;
    of_rank_0.size = 3;
    return of_rank_0;
  }
  OverWorld() { names.enter_only(3); }

  Endpoint endpoint{config(), start};
  ProcessNames names{nullptr};
};

NetworkMeasure measured(Duration round_trip) {
  NetworkMeasure measure;
  measure.round_trip_time = round_trip;
  return measure;
}

TEST(EarlierWorlds, are_none_at_first) {
  const EarlierWorlds earlier;
  EXPECT_EQ(earlier.known_for({0, 1}), nullptr);
  EXPECT_EQ(earlier.traffic(), TrafficCounters{});
  EXPECT_EQ(earlier.completed(measured(0ms)).round_trip_time, 0ms);
  EXPECT_EQ(earlier.completed(measured(20ms)).round_trip_time, 20ms);
}

TEST(EarlierWorlds, know_the_ways_to_those_that_go_on_by_their_ranks_in_the_next_world) {
  OverWorld over;
  EarlierWorlds earlier;
  earlier.add(over.endpoint, over.names, {0, 2});
  const auto known = earlier.known_for({0, 2});
  ASSERT_TRUE(known);
  ASSERT_EQ(known->paths.size(), 2U);
  EXPECT_FALSE(known->paths[0]) << "to itself";
  EXPECT_TRUE(known->paths[1]);
  const auto with_successor = earlier.known_for({0, 1, 2});
  ASSERT_EQ(with_successor->paths.size(), 3U);
  EXPECT_FALSE(with_successor->paths[1]) << "another process has that slot now";
  EXPECT_TRUE(with_successor->paths[2]);
}

}  // namespace
}  // namespace lbsp::transport
