#include "transport/impairment/delay_line.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

class DelayLineTest : public ::testing::Test {
 protected:
  void send(ImpairedLink& link, Instant now, std::byte mark) {
    const auto slot = pool_.acquire();
    std::fill(pool_.bytes(slot).begin(), pool_.bytes(slot).end(), mark);
    line_.send(link, now, {0, 1, slot, 100});
  }

  std::byte mark_of(const DelayLine::Arrival& arrival) { return pool_.bytes(arrival.slot)[0]; }

  DatagramPool pool_{128};
  DelayLine line_{pool_};
};

TEST_F(DelayLineTest, is_empty_until_something_is_sent) {
  EXPECT_TRUE(line_.empty());
  EXPECT_EQ(line_.next(), never);
}

TEST_F(DelayLineTest, gives_arrivals_by_time_and_equal_times_in_the_order_sent) {
  ImpairedLink slow(parse_wan_spec("rtt=20ms"), 1, 0, 2);
  ImpairedLink fast(parse_wan_spec("rtt=2ms"), 1, 0, 2);
  send(slow, start, std::byte{3});
  send(fast, start, std::byte{1});
  send(fast, start, std::byte{2});
  EXPECT_EQ(line_.next(), start + 1ms);
  for (int expected : {1, 2, 3}) {
    const auto arrival = line_.take();
    EXPECT_EQ(mark_of(arrival), std::byte(expected));
    EXPECT_EQ(arrival.bytes, 100u);
    EXPECT_EQ(arrival.from, 0);
    EXPECT_EQ(arrival.to, 1);
    pool_.release(arrival.slot);
  }
  EXPECT_TRUE(line_.empty());
  EXPECT_EQ(pool_.in_use(), 0u);
}

TEST_F(DelayLineTest, gives_back_the_buffer_of_what_is_lost) {
  ImpairedLink link(parse_wan_spec("loss=100%"), 1, 0, 2);
  send(link, start, std::byte{1});
  EXPECT_TRUE(line_.empty());
  EXPECT_EQ(pool_.in_use(), 0u);
}

TEST_F(DelayLineTest, a_duplicate_has_its_own_buffer_with_the_same_bytes) {
  ImpairedLink link(parse_wan_spec("duplicate=100%"), 1, 0, 2);
  send(link, start, std::byte{9});
  ASSERT_EQ(line_.size(), 2u);
  const auto first = line_.take();
  const auto second = line_.take();
  EXPECT_NE(first.slot, second.slot);
  EXPECT_EQ(mark_of(first), std::byte{9});
  EXPECT_EQ(mark_of(second), std::byte{9});
}

TEST_F(DelayLineTest, corrupts_each_arrival_by_itself) {
  ImpairedLink link(parse_wan_spec("duplicate=100%,corrupt=50%"), 1, 0, 2);
  int intact_beside_corrupted = 0;
  for (int i = 0; i < 100; ++i) {
    send(link, start, std::byte{0});
    int corrupted = 0;
    for (int copy = 0; copy < 2; ++copy) {
      const auto arrival = line_.take();
      const auto bytes = pool_.bytes(arrival.slot).first(100);
      corrupted +=
          std::any_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte != std::byte{0}; }) ? 1
                                                                                                       : 0;
      pool_.release(arrival.slot);
    }
    intact_beside_corrupted += corrupted == 1 ? 1 : 0;
  }
  EXPECT_GT(intact_beside_corrupted, 30);
  EXPECT_LT(intact_beside_corrupted, 70);
}

TEST_F(DelayLineTest, uses_the_same_buffers_again) {
  ImpairedLink link(parse_wan_spec("rtt=2ms"), 1, 0, 2);
  std::set<DatagramPool::Slot> used;
  for (int i = 0; i < 10'000; ++i) {
    send(link, start + i * 1ms, std::byte{1});
    while (line_.size() > 10) {
      const auto arrival = line_.take();
      used.insert(arrival.slot);
      pool_.release(arrival.slot);
    }
  }
  EXPECT_LE(used.size(), 64u);
}

TEST(DatagramPool, buffers_do_not_overlap_and_stay_where_they_are) {
  DatagramPool pool(100);
  std::vector<DatagramPool::Slot> slots;
  std::vector<std::byte*> places;
  for (int i = 0; i < 300; ++i) {
    slots.push_back(pool.acquire());
    places.push_back(pool.bytes(slots.back()).data());
    std::fill_n(places.back(), 100, std::byte(i % 251));
  }
  EXPECT_EQ(pool.in_use(), 300u);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(pool.bytes(slots[i]).data(), places[i]);
    EXPECT_TRUE(
        std::all_of(places[i], places[i] + 100, [&](std::byte byte) { return byte == std::byte(i % 251); }));
  }
}

}  // namespace
}  // namespace lbsp::transport
