#include "transport/core/granting.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"

/// How a rank divides its downlink among those who send to it.
namespace lbsp::transport {
namespace {

using namespace testing;

constexpr double granted_megabit = 125e3;  // bytes per second

class GrantingTest : public ::testing::Test {
 protected:
  GrantingTest() {
    room_.state.legs.begin({}, room_.state.peers.others(), room_.state.peers.others(), start);
  }

  /// The downlink of 100 Mbit/s, or one of which datagrams come further apart, is flooded: ranks 1 to 3 send to rank 0.
  void flood(Duration apart = 100us) {
    for (int i = 0; i < 3000; ++i, now_ += apart) {
      const std::uint64_t dropped = i < 1000 ? 0 : 3;
      const Duration queue = i < 1000 ? Duration{0} : std::max<Duration>(30ms, 4 * apart);
      const ArrivalGauge::Seen seen{queue, 1 + dropped, 1};
      const Downlink::Arrival arrival{.peer = 1 + i % 3,
                                      .path = static_cast<std::uint32_t>(1 + i % 3),
                                      .bytes = 1250,
                                      .seen = &seen,
                                      .round_trip = 40ms};
      room_.state.downlink->change([&](Downlink& downlink) {
        if (!downlink.arrived(arrival, now_)) return;
        downlink.judge(
            arrival,
            {.datagram_bytes = 1250, .usual_loss = 0.05, .may_begin = true, .most = {1000 * granted_megabit}},
            now_);
      });
    }
  }
  /// A message from the rank has begun; of its segments of 1000 bytes, the first `arrived` are here.
  void begin(Rank rank, std::uint64_t bytes, std::uint32_t arrived) {
    Peer& from = room_.state.peers[rank];
    from.inbound.newest = {};
    from.inbound.newest_bytes = bytes;
    IncomingMessage& message = from.inbound.messages.add(IncomingMessage(segment_of(MessageId{}, bytes, 0)));
    for (std::uint32_t segment = 0; segment < arrived; ++segment)
      message.accept(segment_of(MessageId{}, bytes, segment), Bytes(1000), now_);
    now_ += 2ms;
  }
  double megabits(Rank rank) {
    const auto rate = granting_.rate_for(room_.state.peers[rank], now_);
    return rate ? rate->value / granted_megabit : -1;
  }

  RoomState<ReceiverDriven> room_{4};
  Granting granting_{room_.state};
  Instant now_ = start;
};

TEST_F(GrantingTest, as_long_as_nothing_floods_all_may_send_as_they_like) {
  begin(1, 1'000'000, 10);
  EXPECT_EQ(megabits(1), -1);
  EXPECT_EQ(megabits(2), -1);
}

TEST_F(GrantingTest, each_has_a_part_by_what_it_lacks) {
  flood();
  begin(1, 1'000'000, 0);
  begin(2, 1'000'000, 400);
  begin(3, 2'000'000, 0);
  const double all = megabits(1) + megabits(2) + megabits(3);
  EXPECT_GT(all, 80);
  EXPECT_LT(all, 100);
  EXPECT_NEAR(megabits(2) / megabits(1), 0.6, 0.01);
  EXPECT_NEAR(megabits(3) / megabits(1), 2, 0.02);
}

TEST_F(GrantingTest, who_lacks_little_has_half_of_the_part_of_the_whole_message) {
  flood();
  begin(1, 1'000'000, 990);
  begin(2, 1'000'000, 0);
  begin(3, 1'000'000, 0);
  EXPECT_NEAR(megabits(1) / megabits(2), 0.5, 0.01);
}

TEST_F(GrantingTest, what_one_does_not_need_any_more_goes_to_the_others) {
  flood();
  begin(1, 1'000'000, 0);
  begin(2, 1'000'000, 1000);
  begin(3, 1'000'000, 1000);
  room_.state.peers[2].wait.awaited = room_.state.peers[3].wait.awaited = false;
  EXPECT_NEAR(megabits(1), room_.state.granted_rate(now_)->value / granted_megabit, 0.1);
  EXPECT_NEAR(megabits(2), megabits(1) / 3, 0.1) << "it begins the next superstep with that";
}

TEST_F(GrantingTest, nobody_has_less_than_two_datagrams_in_a_round_trip) {
  flood();
  begin(1, 1, 0);
  begin(2, 1'000'000'000, 0);
  const Peer& small = room_.state.peers[1];
  const double least =
      2 * static_cast<double>(small.path.sizes.in_use()) / seconds(small.path.times.round_trip());
  EXPECT_NEAR(megabits(1) * granted_megabit, least, 1);
}

/// Where fifteen send to one behind 2 Mbit/s, two datagrams of each in a round trip are twice what it carries.
TEST_F(GrantingTest, of_a_slow_link_the_least_is_half_of_an_equal_part) {
  flood(20ms);
  begin(1, 1, 0);
  begin(2, 1'000'000'000, 0);
  begin(3, 1'000'000'000, 0);
  ASSERT_TRUE(room_.state.granted_rate(now_));
  const double link = room_.state.granted_rate(now_)->value / granted_megabit;
  EXPECT_NEAR(megabits(1), link / 6, 0.01);
}

TEST_F(GrantingTest, nobody_is_granted_more_before_others_know_of_less) {
  flood();
  for (const Rank rank : {1, 2, 3})
    begin(rank, 1'000'000, 0);
  const double link = room_.state.granted_rate(now_)->value;
  room_.state.peers[2].report.granted = room_.state.peers[3].report.granted = BytesPerSecond{0.45 * link};
  EXPECT_NEAR(megabits(1) * granted_megabit, 0.1 * link, 0.01 * link);
  EXPECT_NEAR(megabits(2) * granted_megabit, link / 3, 0.01 * link) << "less is granted at once";
}

TEST_F(GrantingTest, who_has_the_last_of_a_message_on_its_way_is_told_what_the_next_begins_with) {
  flood();
  begin(1, 1'000'000, 990);
  begin(2, 1'000'000, 1000);
  begin(3, 1'000'000, 1000);
  room_.state.peers[2].wait.awaited = room_.state.peers[3].wait.awaited = false;
  const double link = room_.state.granted_rate(now_)->value;
  room_.other.report.granted = BytesPerSecond{link};
  EXPECT_NEAR(megabits(1) * granted_megabit, link / 3, 0.01 * link);
}

TEST_F(GrantingTest, a_leg_begins_with_reports_to_those_who_know_of_another_part) {
  granting_.leg_begun(now_);
  EXPECT_FALSE(room_.other.report.queued) << "nobody is limited";
  flood();
  begin(1, 1'000'000, 0);
  begin(2, 1'000'000, 0);
  begin(3, 1'000'000, 0);
  room_.other.report.granted = granting_.rate_for(room_.other, now_);
  granting_.leg_begun(now_);
  EXPECT_FALSE(room_.other.report.queued) << "it knows";
  EXPECT_TRUE(room_.state.peers[2].report.queued);
}

}  // namespace
}  // namespace lbsp::transport
