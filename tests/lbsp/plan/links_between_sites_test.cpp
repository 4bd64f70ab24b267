#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

#include "tests/lbsp/plan/forecasts_of_job.hpp"
#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/shared_time.hpp"

/// Two sites of two hosts each, and a shaper with a bucket between them (the kernel's tbf). Paths are short, and a
/// superstep's messages have been sent before an answer could change their rate.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t hosts_of_sites = 4;
constexpr std::uint64_t seeds_of_sites = 6;

struct BetweenSites {
  double megabits;
  std::uint64_t queue_bytes;
  std::uint64_t bucket_bytes;
  std::size_t datagram_bytes;
  std::size_t bytes;  ///< for each pair
  std::size_t supersteps;
  const char* wan = "rtt=0.1ms,jitter=0.03ms";
};

struct ForecastSeconds {
  double forecast = 0;
  double took = 0;  ///< by those that had a forecast
};

ForecastSeconds forecast_between_sites(const BetweenSites& given, std::uint64_t seed) {
  SimulationConfig config = planned_job(hosts_of_sites, given.wan);
  config.seed = seed;
  config.options.find_datagram = true;
  config.options.datagram_bytes = given.datagram_bytes;
  for (const int site : {1, 2}) {
    const auto link =
        std::make_shared<Bottleneck>(token_bucket(given.megabits, given.queue_bytes, given.bucket_bytes));
    for (int host = 0; host < 2; ++host)
      config.topology.hosts.push_back({.uplink = link, .site = site});
  }
  ForecastsOfJob forecasts(config, [&](Rank, Rank) { return given.bytes; });
  SharedTime time;
  time.add(forecasts.job());
  time.run_until([&] { return forecasts.job().supersteps() > given.supersteps; }, start + 10min);
  EXPECT_GT(forecasts.job().supersteps(), given.supersteps) << "seed " << seed;
  ForecastSeconds sum;
  for (std::size_t superstep = 0; superstep < given.supersteps; ++superstep) {
    const Forecast& forecast = forecasts.longest()[superstep];
    if (forecast.duration == Duration{0}) continue;
    sum.forecast += seconds(forecast.duration);
    sum.took += forecasts.job().seconds(superstep);
  }
  return sum;
}

/// The error of all seeds' forecasts together.
double error_between_sites(const BetweenSites& given) {
  ForecastSeconds all;
  for (std::uint64_t seed = 1; seed <= seeds_of_sites; ++seed) {
    const ForecastSeconds one = forecast_between_sites(given, seed);
    all.forecast += one.forecast;
    all.took += one.took;
  }
  return all.forecast / all.took - 1;
}

/// The hosts' rate is still the guess with which lbsp begins, but bursts have shown what is carried. Forecasts took
/// that for as doubtful as the guess, and were twice as long.
TEST(LinksBetweenSites, are_forecast_as_bursts_have_shown_them) {
  EXPECT_NEAR(error_between_sites({20, 50'000, 20'000, 1472, 20'000, 20}), 0, 0.2) << "1.07";
  EXPECT_NEAR(error_between_sites({2, 20'000, 4'000, 1252, 20'000, 10}), 0, 0.2) << "0.88";
  EXPECT_NEAR(error_between_sites({2, 20'000, 4'000, 1252, 2'056, 20}), 0, 0.35) << "0.74";
}

}  // namespace
}  // namespace lbsp::plan
