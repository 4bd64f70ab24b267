#include <gtest/gtest.h>

#include "transport/simulated/network.hpp"
#include "transport/simulated/superstep.hpp"

/// What a rank measures of the paths to it and from it.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

NetworkMeasure measured(std::string_view wan, int supersteps, std::size_t bytes = 100'000,
                        double megabits = 100) {
  SimulationConfig config;
  config.size = 3;
  config.wan = parse_wan_spec(wan);
  config.options.rate = megabits_per_second(megabits);
  SimulatedNetwork network(config);
  for (int i = 0; i < supersteps; ++i)
    run_superstep(network, std::vector(3, std::vector<Bytes>(3, Bytes(bytes))));
  return network.endpoint(1).network();
}

TEST(NetworkMeasure, of_nothing_is_nothing_but_the_rate) {
  const NetworkMeasure measure = measured("rtt=20ms", 0);
  EXPECT_EQ(measure.loss, 0);
  EXPECT_EQ(measure.loss_sample, 0u);
  EXPECT_EQ(measure.round_trip_time, 0ms);
  EXPECT_EQ(measure.bandwidth.value, 0);
  EXPECT_EQ(measure.rate, megabits_per_second(100));
}

TEST(NetworkMeasure, has_the_part_that_is_lost_on_the_way_to_the_rank) {
  const NetworkMeasure measure = measured("rtt=20ms,loss=10%", 40);
  // 6080 segments, and a third more of repairs and reports: three standard deviations.
  EXPECT_GT(measure.loss_sample, 6'500u);
  EXPECT_LT(measure.loss_sample, 10'000u);
  EXPECT_NEAR(measure.loss, 0.1, 0.012);
  EXPECT_EQ(measured("rtt=20ms", 10).loss, 0);
}

TEST(NetworkMeasure, has_the_mean_round_trip_and_the_rate_at_which_messages_come) {
  for (const double megabits : {50.0, 400.0}) {
    const NetworkMeasure measure = measured("rtt=20ms", 5, 1'000'000, megabits);
    EXPECT_GE(measure.round_trip_time, 20ms);
    EXPECT_LE(measure.round_trip_time, 22ms);
    // Each sends to two at once: a message comes at half the rate.
    EXPECT_NEAR(measure.bandwidth.value / megabits_per_second(megabits / 2).value, 1, 0.1) << megabits;
  }
}

}  // namespace
}  // namespace lbsp::transport
