#include "transport/impairment/link.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

WanSpec with(std::string_view text) {
  return parse_wan_spec(text);
}

struct Runs {
  double loss;
  double mean_run;
};

// Over `count` datagrams of one path, one each millisecond.
Runs measure_runs(const WanSpec& spec, std::uint64_t seed, int count = 400'000) {
  ImpairedLink link(spec, seed, 0, 2);
  int lost = 0;
  int runs = 0;
  bool was_lost = false;
  for (int i = 0; i < count; ++i) {
    const bool is_lost = link.send(start + i * 1ms, 1, 100).size() == 0;
    lost += is_lost ? 1 : 0;
    runs += is_lost && !was_lost ? 1 : 0;
    was_lost = is_lost;
  }
  return {static_cast<double>(lost) / count, runs == 0 ? 0 : static_cast<double>(lost) / runs};
}

TEST(ImpairedLink, perfect_network_delivers_each_datagram_once_at_once) {
  ImpairedLink link(WanSpec{}, 1, 0, 4);
  for (int i = 0; i < 1000; ++i) {
    const auto passages = link.send(start + i * 1us, 1 + i % 3, 1400);
    ASSERT_EQ(passages.size(), 1u);
    EXPECT_EQ(passages[0].time, start + i * 1us);
    EXPECT_EQ(passages[0].corruption, 0u);
  }
}

TEST(ImpairedLink, independent_losses_have_the_asked_mean_and_natural_runs) {
  for (const double loss : {0.01, 0.1, 0.3, 0.7}) {
    WanSpec spec;
    spec.loss = loss;
    const auto runs = measure_runs(spec, 17);
    EXPECT_NEAR(runs.loss, loss, 0.004);
    EXPECT_NEAR(runs.mean_run, 1 / (1 - loss), 0.03 / (1 - loss));
  }
}

TEST(ImpairedLink, independent_losses_say_nothing_about_the_next_datagram) {
  ImpairedLink link(with("loss=20%"), 5, 0, 2);
  int after_loss = 0;
  int lost_after_loss = 0;
  bool previous = false;
  for (int i = 0; i < 300'000; ++i) {
    const bool lost = link.send(start, 1, 100).size() == 0;
    if (previous) {
      ++after_loss;
      lost_after_loss += lost ? 1 : 0;
    }
    previous = lost;
  }
  EXPECT_NEAR(static_cast<double>(lost_after_loss) / after_loss, 0.2, 0.008);
}

TEST(ImpairedLink, bursts_keep_the_mean_loss_and_have_the_asked_mean_run) {
  for (const double loss : {0.02, 0.1, 0.3}) {
    for (const double burst : {2.0, 4.0, 10.0}) {
      WanSpec spec;
      spec.loss = loss;
      spec.burst = burst;
      const auto runs = measure_runs(spec, 23, 1'000'000);
      EXPECT_NEAR(runs.loss, loss, 0.06 * loss) << burst;
      EXPECT_NEAR(runs.mean_run, burst, 0.05 * burst) << loss;
    }
  }
}

TEST(ImpairedLink, loses_everything_at_100_percent_and_nothing_at_0) {
  EXPECT_EQ(measure_runs(with("loss=100%,burst=4"), 1, 10'000).loss, 1);
  EXPECT_EQ(measure_runs(with("loss=0%,burst=4"), 1, 10'000).loss, 0);
}

TEST(ImpairedLink, same_seed_decides_the_same_and_another_seed_or_pair_differently) {
  const auto spec =
      with("loss=20%,rtt=10ms,jitter=1ms,burst=2,reorder=5%,duplicate=5%,corrupt=5%,rate=10Mbit");
  const auto trace = [&](std::uint64_t seed, Rank from, Rank to) {
    ImpairedLink link(spec, seed, from, 4);
    std::vector<std::uint64_t> decisions;
    for (int i = 0; i < 500; ++i) {
      const auto passages = link.send(start + i * 2ms, to, 1000);
      for (const auto& passage : passages) {
        decisions.push_back(static_cast<std::uint64_t>(passage.time.time_since_epoch().count()));
        decisions.push_back(passage.corruption);
      }
    }
    return decisions;
  };
  const auto first = trace(42, 0, 1);
  EXPECT_EQ(trace(42, 0, 1), first);
  EXPECT_NE(trace(43, 0, 1), first);
  EXPECT_NE(trace(42, 1, 1), first);
  EXPECT_NE(trace(42, 0, 2), first);
  EXPECT_NE(trace(42, 2, 0), trace(42, 0, 2));
}

TEST(Random, gives_the_numbers_of_its_source) {
  // The reference implementation, seeded with 1234567.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Uplink, serialises_one_datagram_after_the_other) {
  Uplink uplink(with("rate=8Mbit"));  // a byte each microsecond
  EXPECT_EQ(uplink.send(start, 1000), start + 1000us);
  EXPECT_EQ(uplink.send(start, 500), start + 1500us);
  EXPECT_EQ(uplink.send(start + 1400us, 100), start + 1600us);
  EXPECT_EQ(uplink.send(start + 5000us, 100), start + 5100us);
}

TEST(Uplink, keeps_its_rate_over_a_long_time_whatever_the_sizes) {
  Uplink uplink(with("rate=70Mbit,queue=1GiB"));
  std::uint64_t bytes = 0;
  std::optional<Instant> last;
  for (int i = 0; i < 200'000; ++i) {
    const std::size_t size = 40 + static_cast<std::size_t>(i) * 7919 % 1361;
    bytes += size;
    last = uplink.send(start, size);
    ASSERT_TRUE(last);
  }
  const double seconds = std::chrono::duration<double>(*last - start).count();
  EXPECT_NEAR(static_cast<double>(bytes) / seconds, 70e6 / 8, 10);
}

TEST(Uplink, drops_what_finds_more_than_the_queue_waiting) {
  Uplink uplink(with("rate=8Mbit,queue=10000B"));
  int passed = 0;
  for (int i = 0; i < 100; ++i)
    passed += uplink.send(start, 1000) ? 1 : 0;
  EXPECT_EQ(passed, 11);  // the last found exactly 10000 bytes, which is not more
  EXPECT_FALSE(uplink.send(start + 900us, 1000));
  EXPECT_TRUE(uplink.send(start + 1000us, 1000));
}

TEST(Uplink, lets_a_datagram_larger_than_the_queue_pass_when_idle) {
  Uplink uplink(with("rate=8Mbit,queue=0B"));
  EXPECT_TRUE(uplink.send(start, 1400));
  EXPECT_FALSE(uplink.send(start + 1ms, 1));
  EXPECT_TRUE(uplink.send(start + 1400us, 1));
}

TEST(Uplink, does_not_overflow_the_clock_at_a_rate_next_to_nothing) {
  WanSpec spec;
  spec.rate = BytesPerSecond{1e-10};
  Uplink uplink(spec);
  for (int i = 0; i < 10; ++i) {
    const auto departure = uplink.send(start + i * 1h, 1400);
    ASSERT_TRUE(departure);
    EXPECT_GT(*departure, start + 24h * 365 * 50);
  }
}

TEST(ImpairedLink, paths_share_the_uplink) {
  ImpairedLink link(with("rate=8Mbit,rtt=10ms"), 1, 0, 3);
  EXPECT_EQ(link.send(start, 1, 1000)[0].time, start + 6ms);
  EXPECT_EQ(link.send(start, 2, 1000)[0].time, start + 7ms);
}

TEST(ImpairedLink, drops_datagrams_whose_packets_are_longer_than_the_path_carries) {
  ImpairedLink link(with("mtu=1000"), 1, 0, 2);
  EXPECT_EQ(link.send(start, 1, 1000 - packet_header_bytes).size(), 1U);
  EXPECT_EQ(link.send(start, 1, 1001 - packet_header_bytes).size(), 0U);
  EXPECT_EQ(link.counters().too_long, 1U);
}

TEST(Uplink, what_waits_when_its_rate_changes_leaves_at_the_new_one) {
  Uplink uplink(with("rate=8Mbit"));
  uplink.send(start, 1000);
  uplink.become(Uplink(with("rate=16Mbit")), start + 500us);
  EXPECT_EQ(uplink.send(start + 500us, 1000), start + 500us + 250us + 500us);
  uplink.become(Uplink(with("loss=0%")), start + 500us);
  EXPECT_EQ(uplink.send(start + 500us, 1000), start + 500us);
}

TEST(ImpairedLink, delays_by_half_the_round_trip_time_and_jitter_around_it) {
  ImpairedLink link(with("rtt=20ms,jitter=4ms"), 3, 0, 2);
  Duration total{0};
  Duration least = 1h;
  Duration most{0};
  constexpr int count = 50'000;
  for (int i = 0; i < count; ++i) {
    const auto now = start + i * 100ms;  // apart enough for no datagram to wait for the one before
    const auto delay = link.send(now, 1, 100)[0].time - now;
    total += delay;
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_NEAR(std::chrono::duration<double>(total).count() / count, 0.010, 0.00005);
  EXPECT_GE(least, 6ms);
  EXPECT_LT(least, 6100us);
  EXPECT_LE(most, 14ms);
  EXPECT_GT(most, 13900us);
}

TEST(ImpairedLink, jitter_alone_neither_reorders_nor_turns_back_time) {
  ImpairedLink link(with("rtt=4ms,jitter=50ms"), 3, 0, 2);
  Instant previous = start;
  for (int i = 0; i < 10'000; ++i) {
    const auto now = start + i * 1ms;
    const auto arrival = link.send(now, 1, 100)[0].time;
    EXPECT_GE(arrival, previous);
    EXPECT_GE(arrival, now);
    previous = arrival;
  }
}

TEST(ImpairedLink, reorders_the_asked_fraction) {
  ImpairedLink link(with("rtt=20ms,reorder=5%"), 9, 0, 2);
  constexpr int count = 100'000;
  int overtaken = 0;
  for (int i = 0; i < count; ++i) {
    const auto now = start + i * 1us;
    const auto arrival = link.send(now, 1, 100)[0].time;
    if (arrival != now + 10ms) {
      ++overtaken;
      EXPECT_GT(arrival, now + 10ms);
      EXPECT_LE(arrival, now + 20ms + 1ns);
    }
  }
  EXPECT_NEAR(static_cast<double>(overtaken) / count, 0.05, 0.003);
  EXPECT_EQ(link.counters().reordered, static_cast<std::uint64_t>(overtaken));
}

TEST(ImpairedLink, lets_the_asked_fraction_overtake_all_that_is_under_way) {
  ImpairedLink link(with("rtt=20ms,overtake=5%"), 9, 0, 2);
  constexpr int count = 100'000;
  int overtaking = 0;
  for (int i = 0; i < count; ++i) {
    const auto now = start + i * 1us;
    const auto arrival = link.send(now, 1, 100)[0].time;
    overtaking += arrival == now ? 1 : 0;
    EXPECT_TRUE(arrival == now || arrival == now + 10ms);
  }
  EXPECT_NEAR(static_cast<double>(overtaking) / count, 0.05, 0.003);
  EXPECT_EQ(link.counters().reordered, static_cast<std::uint64_t>(overtaking));
}

TEST(ImpairedLink, duplicates_and_corrupts_the_asked_fractions_and_counts_them) {
  ImpairedLink link(with("loss=10%,duplicate=10%,corrupt=2%"), 9, 0, 2);
  constexpr std::uint64_t count = 100'000;
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t corrupted = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto passages = link.send(start, 1, 100);
    lost += passages.size() == 0 ? 1u : 0u;
    duplicated += passages.size() == 2 ? 1u : 0u;
    for (const auto& passage : passages)
      corrupted += passage.corruption != 0 ? 1u : 0u;
  }
  EXPECT_NEAR(static_cast<double>(duplicated) / count, 0.09, 0.004);
  EXPECT_NEAR(static_cast<double>(corrupted) / count, 0.99 * 0.02, 0.002);
  const ImpairmentCounters expected{count, 0, 0, lost, 0, duplicated, corrupted};
  EXPECT_EQ(link.counters(), expected);
}

TEST(FlipBits, changes_one_to_four_bits_of_a_datagram_of_any_size) {
  for (std::size_t size : {1u, 2u, 3u, 40u, 1400u}) {
    for (std::uint64_t corruption = 1; corruption < 200; ++corruption) {
      std::vector<std::byte> datagram(size);
      flip_bits(datagram, corruption);
      int flipped = 0;
      for (const auto byte : datagram)
        flipped += __builtin_popcount(std::to_integer<unsigned>(byte));
      EXPECT_GE(flipped, 1);
      EXPECT_LE(flipped, 4);
    }
  }
  flip_bits({}, 7);
}

}  // namespace
}  // namespace lbsp::transport
