#include <array>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/rate/host_downlink.hpp"
#include "transport/rate/rate_control.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr BytesPerSecond told_rate = megabits_per_second(100);

UplinkRate rate_of_host() {
  return {{.rate = told_rate}, told_rate, 0.05, start};
}

/// Of so many ranks, in memory that all of them see.
struct SharedUplink {
  explicit SharedUplink(Rank seats) : uplink(HostUplink::join(room, seats, rate_of_host())) {}

  RateControl control(Rank seat) const {
    return RateControl({.rate = {told_rate.value / uplink->seats()}}, 0.05, start, uplink, seat);
  }

  std::shared_ptr<std::byte> room = make_host_room();
  std::shared_ptr<HostUplink> uplink;
};

TEST(HostUplink, whoever_joins_later_finds_the_same_one) {
  const SharedUplink host(3);
  ASSERT_NE(host.uplink, nullptr);
  EXPECT_EQ(HostUplink::join(host.room, 3, rate_of_host()), host.uplink);
  EXPECT_EQ(host.uplink->rate(), told_rate);
}

TEST(HostUplink, of_another_number_of_ranks_is_none) {
  const SharedUplink host(3);
  EXPECT_EQ(HostUplink::join(host.room, 4, rate_of_host()), nullptr);
}

/// As that of another version of the library.
TEST(HostUplink, of_another_layout_is_none) {
  const auto room = make_host_room();
  *room = std::byte{77};
  EXPECT_EQ(HostUplink::join(room, 3, rate_of_host()), nullptr);
}

TEST(HostUplink, that_is_never_made_is_none_after_a_second) {
  const auto room = make_host_room();
  *room = std::byte{1};
  EXPECT_EQ(HostUplink::join(room, 3, rate_of_host()), nullptr);
}

TEST(HostUplink, is_divided_by_what_each_has_to_send) {
  const SharedUplink host(3);
  host.uplink->demand(0, 300, start);
  host.uplink->demand(1, 100, start);
  EXPECT_DOUBLE_EQ(host.uplink->share(0, start), 0.75);
  EXPECT_DOUBLE_EQ(host.uplink->share(1, start), 0.25);
  EXPECT_DOUBLE_EQ(host.uplink->share(2, start), 1.0 / 24) << "for reports and repairs";
}

TEST(HostUplink, has_equal_parts_while_nobody_has_anything_to_send) {
  const SharedUplink host(4);
  EXPECT_DOUBLE_EQ(host.uplink->share(2, start), 0.25);
}

TEST(HostUplink, does_not_wait_for_a_rank_that_says_nothing_more) {
  const SharedUplink host(2);
  host.uplink->demand(0, 100, start);
  host.uplink->demand(1, 100, start);
  EXPECT_DOUBLE_EQ(host.uplink->share(0, start + 90ms), 0.5);
  EXPECT_DOUBLE_EQ(host.uplink->share(0, start + 150ms), 1);
}

TEST(HostUplink, of_which_a_rank_died_with_the_lock_keeps_its_rate_and_nobody_waits) {
  const SharedUplink host(2);
  host.uplink->change([&](UplinkRate&) {
    bool called = false;
    EXPECT_FALSE(host.uplink->change([&](UplinkRate&) { return called = true; }));
    EXPECT_FALSE(called);
    return false;
  });
  EXPECT_TRUE(host.uplink->change([](UplinkRate&) { return true; }));
}

/// Each datagram that goes out and each echo asks for the lock.
TEST(HostUplink, of_which_a_rank_died_with_the_lock_delays_no_datagram) {
  const SharedUplink host(2);
  host.uplink->change([&](UplinkRate&) {
    const auto nothing = [](UplinkRate&) { return false; };
    host.uplink->change(nothing);
    const std::clock_t began = std::clock();  // the processor's time, in which other programs are not
    for (int i = 0; i < 10'000; ++i)
      host.uplink->change(nothing);
    EXPECT_LT(std::clock() - began, CLOCKS_PER_SEC / 10);
    return false;
  });
  int calls = 0;
  host.uplink->change([&](UplinkRate&) { return ++calls > 1; });
  EXPECT_EQ(calls, 1) << "one that only slept with it goes on";
}

TEST(HostUplink, is_changed_by_one_rank_at_a_time) {
  const SharedUplink host(4);
  std::array<int, 2> counts{};
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < 4; ++rank)
    ranks.emplace_back([&] {
      for (int i = 0; i < 1000;) {
        host.uplink->change([&](UplinkRate&) {
          counts[1] = ++counts[0];
          ++i;
          return false;
        });
      }
    });
  ranks.clear();
  EXPECT_EQ(counts[0], 4000);
  EXPECT_EQ(counts[1], 4000);
}

TEST(HostUplink, gives_each_rank_a_part_by_what_its_leg_sends) {
  const SharedUplink host(2);
  RateControl one = host.control(0);
  RateControl other = host.control(1);
  one.begin_leg(3'000'000);
  other.begin_leg(1'000'000);
  one.refresh(start);
  EXPECT_NEAR(one.share().value / told_rate.value, 1, 1e-9) << "the other has said nothing yet";
  other.refresh(start);
  one.refresh(start + 2ms);
  EXPECT_NEAR(one.share().value / told_rate.value, 0.75, 0.01);
  EXPECT_NEAR(other.share().value / told_rate.value, 0.25, 0.01);
  EXPECT_EQ(one.rate(), BytesPerSecond{told_rate.value / 2}) << "an equal part";
}

TEST(HostUplink, gives_ranks_the_parts_of_those_that_have_nothing_to_send) {
  const SharedUplink host(2);
  RateControl one = host.control(0);
  RateControl other = host.control(1);
  one.begin_leg(1'000'000);
  other.begin_leg(1'000'000);
  other.refresh(start);
  one.refresh(start);
  EXPECT_NEAR(one.share().value / told_rate.value, 0.5, 1e-9);
  other.pause(start);
  one.refresh(start + 2ms);
  EXPECT_NEAR(one.share().value / told_rate.value, 1, 1e-9);
}

TEST(HostUplink, foretells_the_part_that_a_leg_will_have) {
  const SharedUplink host(2);
  RateControl one = host.control(0);
  RateControl other = host.control(1);
  const auto part = [](RateControl& of, double bytes, Leg leg = Leg::messages) {
    return of.rate_of_leg(leg, bytes).value / told_rate.value;
  };
  EXPECT_NEAR(part(one, 3'000'000), 0.5, 1e-9) << "the other has told of none, and may send as much";
  EXPECT_NEAR(part(other, 1'000'000), 0.25, 0.01);
  EXPECT_NEAR(part(one, 3'000'000), 0.75, 1e-9) << "until the other is done, and then all";
  EXPECT_NEAR(part(other, 100), 1. / 270, 1e-3) << "beside 268 datagrams of the one, as each wants 8 more";
  EXPECT_NEAR(part(one, 3'000'000), 1, 1e-3);
  EXPECT_NEAR(part(one, 3'000'000, Leg::replies), 0.5, 1e-9) << "of replies nothing is known yet";
  EXPECT_NEAR(part(one, 0), 0.5, 1e-9) << "nothing goes to other hosts";
}

TEST(HostUplink, counts_what_all_its_ranks_send) {
  const SharedUplink host(2);
  RateControl one = host.control(0);
  RateControl other = host.control(1);
  one.sent(1000, start);
  other.sent(500, start);
  EXPECT_EQ(one.bytes_sent(), 1500U);
}

}  // namespace
}  // namespace lbsp::transport
