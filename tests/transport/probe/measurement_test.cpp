// A whole measurement in virtual time, through networks of which the truth is known.
#include <gtest/gtest.h>

#include "tests/transport/probe/virtual_path.hpp"
#include "transport/probe/statistics.hpp"

namespace lbsp::transport::probe {
namespace {

using std::chrono::seconds;
using transport::JobKey;
using transport::parse_wan_spec;

struct Outcome {
  std::string failure;
  Measurement result;
  double seconds;
};

Outcome measure(const std::string& up, const std::string& down, std::uint64_t seed,
                const MeasurementPlan& plan) {
  const JobKey key = JobKey::random();
  VirtualPath path(parse_wan_spec(up), parse_wan_spec(down), seed);
  const auto start = path.now();
  Client client(key, path.address(1), plan, path.now());
  Responder responder({.key = key});
  path.run(client, responder, seconds{300});
  return {client.finished() ? client.failure() : "not finished", client.result(),
          std::chrono::duration<double>(path.now() - start).count()};
}

MeasurementPlan plan_of(std::vector<std::uint32_t> sizes, std::uint32_t count) {
  MeasurementPlan plan;
  plan.sizes = std::move(sizes);
  plan.count = count;
  return plan;
}

double median(std::vector<double> sample) {
  return quantile(sample, 0.5);
}

TEST(Measurement, finds_the_loss_within_its_own_interval) {
  constexpr double up = 0.1;
  constexpr double down = 0.03;
  int within = 0;
  constexpr int seeds = 300;
  auto plan = plan_of({512}, 400);
  plan.bandwidth = false;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto outcome = measure("loss=10%,rtt=40ms", "loss=3%,rtt=40ms", seed, plan);
    ASSERT_EQ(outcome.failure, "");
    const auto& size = outcome.result.sizes.at(0);
    ASSERT_EQ(size.up.loss.sent, 400U);
    const auto up_interval = wilson_interval(size.up.loss.lost, size.up.loss.sent);
    const auto down_interval = wilson_interval(size.down.loss.lost, size.down.loss.sent);
    within += up_interval.low <= up && up <= up_interval.high ? 1 : 0;
    within += down_interval.low <= down && down <= down_interval.high ? 1 : 0;
  }
  EXPECT_GE(within, 2 * seeds * 93 / 100);
}

TEST(Measurement, finds_a_set_rate_through_random_loss) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto outcome = measure("loss=10%,rtt=70ms,rate=100Mbit", "loss=10%,rtt=70ms,rate=20Mbit", seed,
                                 plan_of({1400}, 300));
    ASSERT_EQ(outcome.failure, "") << seed;
    const auto& size = outcome.result.sizes.at(0);
    EXPECT_NEAR(size.up.bandwidth.value, 12.5e6, 1.25e6) << seed;
    EXPECT_NEAR(size.down.bandwidth.value, 2.5e6, 0.25e6) << seed;
    EXPECT_FALSE(size.up.limited_by_sender);
    // The datagram itself takes 0.112 ms of the one link and 0.56 ms of the other.
    EXPECT_NEAR(median(size.round_trips), 0.070672, 0.0002);
  }
}

TEST(Measurement, finds_the_rate_for_datagrams_of_every_size) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto outcome = measure("loss=10%,rtt=20ms,rate=100Mbit", "loss=1%,rtt=20ms,rate=100Mbit", seed,
                                 plan_of({1400, 8192, 64'000}, 300));
    ASSERT_EQ(outcome.failure, "");
    for (const auto& size : outcome.result.sizes) {
      EXPECT_NEAR(size.up.bandwidth.value, 12.5e6, 1.25e6) << size.bytes << " seed " << seed;
      EXPECT_NEAR(size.down.bandwidth.value, 12.5e6, 1.25e6) << size.bytes << " seed " << seed;
    }
  }
}

TEST(Measurement, is_not_misled_by_jitter_and_bursts) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string wan = "loss=5%,rtt=60ms,rate=50Mbit,jitter=5ms,burst=4";
    const auto outcome = measure(wan, wan, seed, plan_of({1400}, 1000));
    ASSERT_EQ(outcome.failure, "");
    const auto& size = outcome.result.sizes.at(0);
    EXPECT_NEAR(size.up.bandwidth.value, 6.25e6, 0.15 * 6.25e6) << seed;
    EXPECT_GT(size.up.loss.burst(), 2) << seed;
  }
}

TEST(Measurement, sees_that_copies_are_lost_together_when_losses_come_in_runs) {
  std::array<LossSummary::Copies, copy_spacings.size()> copies{};
  auto plan = plan_of({512}, 2000);
  plan.bandwidth = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto outcome = measure("loss=10%,rtt=20ms,burst=4", "rtt=20ms", seed, plan);
    ASSERT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.result.sizes.at(0).down.loss.lost, 0U);
    for (std::size_t i = 0; i < copies.size(); ++i) {
      copies[i].first_lost += outcome.result.sizes.at(0).up.loss.copies[i].first_lost;
      copies[i].both_lost += outcome.result.sizes.at(0).up.loss.copies[i].both_lost;
    }
  }
  const auto loss = [&](std::size_t i) {
    return static_cast<double>(copies[i].both_lost) / copies[i].first_lost;
  };
  // Back to back: the chain stays in its bad state with 1 - 1/4. 20 ms are 12 datagrams, long enough to
  // forget.
  EXPECT_NEAR(loss(0), 0.75, 0.04);
  EXPECT_NEAR(loss(3), 0.1, 0.04);
  EXPECT_NEAR(loss(4), 0.1, 0.04);
}

TEST(Measurement, survives_a_loss_of_half_and_stays_within_its_time) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto outcome = measure("loss=50%,rtt=100ms,rate=50Mbit", "loss=50%,rtt=100ms,rate=50Mbit", seed,
                                 plan_of({64, 1400}, 200));
    ASSERT_EQ(outcome.failure, "") << seed;
    EXPECT_LT(outcome.seconds, 60);
    EXPECT_NEAR(outcome.result.sizes.at(1).up.bandwidth.value, 6.25e6, 0.15 * 6.25e6) << seed;
  }
}

TEST(Measurement, of_sizes_that_hardly_arrive_does_not_cost_the_others) {
  const JobKey key = JobKey::random();
  VirtualPath path(parse_wan_spec("rtt=70ms,rate=100Mbit"), parse_wan_spec("rtt=70ms,rate=100Mbit"), 1);
  transport::Random random(7);
  constexpr double fragment_loss = 0.3;  // what is spoilt is as good as lost
  path.on_arrival = [&](int, std::span<std::byte> datagram) {
    for (std::size_t fragment = 0; fragment * 1480 < datagram.size() + 8; ++fragment) {
      if (!random.happens(fragment_loss)) continue;
      datagram.back() = ~datagram.back();
      return;
    }
  };
  const auto start = path.now();
  Client client(key, path.address(1), MeasurementPlan{}, start);
  Responder responder({.key = key});
  path.run(client, responder, seconds{100});
  ASSERT_TRUE(client.finished());
  EXPECT_EQ(client.failure(), "");
  EXPECT_LT(path.now() - start, seconds{40});
  const auto& sizes = client.result().sizes;
  EXPECT_NEAR(sizes[2].up.loss.loss(), fragment_loss, 0.08);
  EXPECT_NEAR(sizes[2].up.bandwidth.value, 12.5e6, 1.25e6);
  EXPECT_GT(sizes[5].up.loss.loss(), 0.9);
}

/// A path that carries datagrams of up to so many bytes of payload each way: larger ones are spoilt.
Outcome measure_narrow(const std::string& wan, std::size_t up, std::size_t down, std::uint64_t seed,
                       const MeasurementPlan& plan) {
  const JobKey key = JobKey::random();
  VirtualPath path(parse_wan_spec(wan), parse_wan_spec(wan), seed);
  const auto start = path.now();
  Client client(key, path.address(1), plan, start);
  Responder responder({.key = key});
  path.on_arrival = [&](int to, std::span<std::byte> datagram) {
    if (datagram.size() > (to == 1 ? up : down)) datagram.back() = ~datagram.back();
  };
  path.run(client, responder, seconds{300});
  return {client.finished() ? client.failure() : "not finished", client.result(),
          std::chrono::duration<double>(path.now() - start).count()};
}

MeasurementPlan default_plan() {
  MeasurementPlan plan;
  plan.sizes_are_fixed = false;
  return plan;
}

TEST(Measurement, by_default_takes_twelve_seconds_on_an_ethernet) {
  const auto outcome = measure_narrow("loss=2%,rtt=30ms,rate=100Mbit", 1472, 1472, 1, default_plan());
  ASSERT_EQ(outcome.failure, "");
  EXPECT_LT(outcome.seconds, 12);
  EXPECT_EQ(outcome.result.sizes.size(), 3U);
}

TEST(Measurement, of_sizes_that_travel_in_fragments_takes_ten_seconds_more) {
  const auto outcome = measure("loss=2%,rtt=30ms,rate=100Mbit", "loss=2%,rtt=30ms,rate=100Mbit", 1, {});
  ASSERT_EQ(outcome.failure, "");
  EXPECT_LT(outcome.seconds, 24);
}

TEST(Measurement, finds_what_arrives_whole_each_way_through_random_loss) {
  auto plan = plan_of({64}, 60);
  plan.bandwidth = false;
  for (const char* const wan : {"loss=15%,rtt=40ms", "loss=15%,burst=4,rtt=5ms,jitter=2ms,reorder=5%"}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const auto outcome = measure_narrow(wan, 1392, 1472, seed, plan);
      ASSERT_EQ(outcome.failure, "") << wan << " " << seed << " " << outcome.seconds;
      EXPECT_EQ(outcome.result.largest_up, 1392U) << wan << " " << seed;
      EXPECT_EQ(outcome.result.largest_down, 1472U) << wan << " " << seed;
    }
  }
}

TEST(Measurement, finds_what_arrives_whole_on_slow_and_far_paths_in_time) {
  for (const char* const wan :
       {"rtt=20ms,rate=100kbit", "loss=5%,rtt=600ms,rate=1Mbit", "rtt=1ms,rate=1Gbit"}) {
    auto plan = default_plan();
    plan.time_limit = std::chrono::minutes{3};
    const auto outcome = measure_narrow(wan, 1301, 1301, 1, plan);
    ASSERT_EQ(outcome.failure, "") << wan;
    EXPECT_EQ(outcome.result.largest_up, 1301U) << wan;
    EXPECT_EQ(outcome.result.largest_down, 1301U) << wan;
    EXPECT_LT(outcome.seconds, 120) << wan;
  }
}

TEST(Measurement, measures_by_default_what_arrives_whole_and_the_largest_of_it) {
  const auto outcome = measure_narrow("rtt=10ms,rate=50Mbit", 1272, 1392, 1, default_plan());
  ASSERT_EQ(outcome.failure, "");
  std::vector<std::uint32_t> sizes;
  for (const auto& size : outcome.result.sizes) {
    sizes.push_back(size.bytes);
    EXPECT_EQ(size.up.loss.lost, 0U);
    EXPECT_NEAR(size.up.bandwidth.value, 6.25e6, 0.7e6);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{64, 512, 1272}));
}

TEST(Measurement, of_a_slow_path_takes_fewer_large_datagrams_instead_of_longer) {
  const auto outcome =
      measure("rtt=50ms,rate=2Mbit", "rtt=50ms,rate=2Mbit", 1, plan_of({64, 1400, 8192}, 300));
  ASSERT_EQ(outcome.failure, "");
  EXPECT_LT(outcome.seconds, 60);
  EXPECT_NEAR(outcome.result.sizes.at(1).up.bandwidth.value, 0.25e6, 0.025e6);
  EXPECT_LT(outcome.result.sizes.at(2).up.loss.sent, 300U);
}

TEST(Measurement, of_a_very_slow_path_may_take_longer_than_a_limit_that_nobody_asked_for) {
  for (const char* const wan : {"rtt=40ms,rate=64kbit", "loss=2%,rtt=40ms,rate=128kbit"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      auto plan = default_plan();
      const auto outcome = measure_narrow(wan, 1472, 1472, seed, plan);
      EXPECT_EQ(outcome.failure, "") << wan;
      EXPECT_LT(outcome.seconds, 180) << wan;
      plan.time_limit_is_fixed = true;
      const auto limited = measure_narrow(wan, 1472, 1472, seed, plan);
      EXPECT_NE(limited.failure.find("raise --time-limit"), std::string::npos) << wan;
      EXPECT_LT(limited.seconds, 61) << wan;
    }
  }
}

TEST(Measurement, brings_the_responders_compute_rates) {
  const JobKey key = JobKey::random();
  VirtualPath path({}, {}, 1);
  auto plan = plan_of({64}, 30);
  plan.bandwidth = false;
  Client client(key, path.address(1), plan, path.now());
  Responder responder({.key = key, .rates = {{1e9, 2e6, 3e9, 4e8}}});
  path.run(client, responder, seconds{60});
  ASSERT_EQ(client.failure(), "");
  EXPECT_EQ(client.result().responder_rates, (Rates{{1e9, 2e6, 3e9, 4e8}}));
}

TEST(Measurement, does_not_hang_on_a_path_that_carries_nothing) {
  const auto outcome = measure("loss=100%", "rtt=1ms", 1, {});
  EXPECT_NE(outcome.failure.find("does not answer"), std::string::npos);
  EXPECT_LT(outcome.seconds, 15);
}

TEST(Measurement, that_would_take_longer_than_allowed_says_so_before_it_is_made) {
  auto plan = plan_of({1400}, 100'000);
  plan.count_is_fixed = true;
  const auto outcome = measure("rtt=1ms,rate=10Mbit", "rtt=1ms,rate=10Mbit", 1, plan);
  EXPECT_NE(outcome.failure.find("--time-limit"), std::string::npos);
  EXPECT_LT(outcome.seconds, 20);
}

}  // namespace
}  // namespace lbsp::transport::probe
