#include "transport/rate/host_downlink.hpp"

#include <chrono>
#include <gtest/gtest.h>

/// What the ranks of a host have in common of its downlink.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant begun{1s};

TEST(HostDownlink, whoever_joins_later_finds_the_same_one) {
  const auto room = make_host_room();
  const auto first = HostDownlink::join(room, 3);
  ASSERT_TRUE(first);
  EXPECT_EQ(HostDownlink::join(room, 3), first);
  EXPECT_EQ(HostDownlink::join(room, 4), nullptr) << "it is of three ranks";
}

TEST(HostDownlink, adds_up_what_its_ranks_await) {
  HostDownlink host(2);
  host.demand(0, {.awaited = 1000, .lengths = 3000, .senders = 1, .granted = 10}, begun);
  const auto all = host.demand(1, {.awaited = 500, .lengths = 700, .senders = 2, .granted = 5}, begun + 1ms);
  EXPECT_EQ(all.awaited, 1500);
  EXPECT_EQ(all.lengths, 3700);
  EXPECT_EQ(all.senders, 3);
  EXPECT_EQ(all.granted, 15);
}

TEST(HostDownlink, keeps_nothing_for_a_rank_that_says_nothing_more) {
  HostDownlink host(2);
  host.demand(0, {.awaited = 1000}, begun);
  EXPECT_EQ(host.demand(1, {.awaited = 500}, begun + 900ms).awaited, 1500);
  EXPECT_EQ(host.demand(1, {.awaited = 500}, begun + 1100ms).awaited, 500);
}

TEST(HostDownlink, counts_the_rounds_that_its_ranks_judge) {
  HostDownlink host(2);
  EXPECT_EQ(host.rounds(), 0U);
  host.note_round();
  EXPECT_EQ(host.rounds(), 1U);
}

}  // namespace
}  // namespace lbsp::transport
