#include "transport/rate/first_flood.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <vector>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t datagram = 1250;
constexpr double megabit = 125e3;  // bytes per second

/// Several send to a rank in turns.
struct Senders {
  explicit Senders(std::size_t count) : sent(count), arrived(count) {}

  /// So many datagrams of each come, `apart`; before each `lost` of its sender's are lost. What was seen last.
  void come(int of_each, Duration apart, std::uint64_t lost, std::size_t losers) {
    for (int i = 0; i < of_each; ++i) {
      for (std::size_t rank = 0; rank < sent.size(); ++rank) {
        now += apart;
        sent[rank] += 1 + (rank < losers ? lost : 0);
        ++arrived[rank];
        const auto look = flood.add({static_cast<Rank>(rank), sent[rank], arrived[rank], datagram}, now);
        if (look) seen = look;
      }
    }
  }

  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> arrived;
  FirstFlood flood;
  Instant now{1s};
  std::optional<FirstFlood::Seen> seen;
};

TEST(FirstFlood, is_seen_where_several_lose_most_and_as_much_comes_as_before) {
  Senders senders(4);
  senders.come(40, 100us, 0, 4);
  EXPECT_FALSE(senders.seen);
  senders.come(40, 100us, 9, 4);
  ASSERT_TRUE(senders.seen);
  EXPECT_NEAR(senders.seen->loss, 0.9, 0.02);
  EXPECT_NEAR(senders.seen->carried.value, 100 * megabit, 5 * megabit);
}

TEST(FirstFlood, is_not_seen_where_less_comes_when_much_is_lost) {
  Senders senders(4);
  senders.come(40, 100us, 0, 4);
  senders.come(40, 1ms, 9, 4);
  EXPECT_FALSE(senders.seen) << "a run of losses";
}

TEST(FirstFlood, is_not_seen_where_one_alone_loses) {
  Senders senders(4);
  senders.come(40, 100us, 0, 4);
  senders.come(40, 100us, 40, 1);
  EXPECT_FALSE(senders.seen);
}

TEST(FirstFlood, is_not_seen_before_it_is_known_what_comes) {
  Senders senders(4);
  senders.come(4, 100us, 9, 4);
  EXPECT_FALSE(senders.seen);
}

}  // namespace
}  // namespace lbsp::transport
