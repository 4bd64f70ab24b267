#include <chrono>
#include <gtest/gtest.h>
#include <utility>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// A rate that was found on a slow link, and a link that becomes faster.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t message_bytes = 100 << 10;
constexpr Duration slow_for = 60s;

std::size_t equal_messages(Rank /*from*/, Rank /*to*/) {
  return message_bytes;
}

struct Links {
  Duration round_trip;
  std::uint64_t queue_bytes;
  std::uint64_t seed;
};

/// Three ranks, each with an uplink and a downlink of 20 Mbit/s, and of 80 later.
SimulationConfig three_ranks(const Links& links, Duration slow) {
  SimulationConfig config = planned_job(3, WanSpec{});
  config.wan.round_trip_time = links.round_trip;
  config.seed = links.seed;
  give_links(config, {.rate = megabits_per_second(20),
                      .queue_bytes = links.queue_bytes,
                      .changes = {{start + slow, megabits_per_second(80)}}});
  return config;
}

/// From when the links are faster until a superstep takes a tenth longer than at nine tenths of the new rate, or less.
double seconds_to_new_rate(const Links& links) {
  const double bytes = 2. * message_bytes;
  const double fast = 1.1 * (seconds(links.round_trip) / 2 + bytes / (0.9 * megabits_per_second(80).value));
  RunningJob job(three_ranks(links, slow_for), equal_messages);
  SharedTime time;
  time.add(job);
  time.run_until([] { return false; }, start + slow_for);
  const std::size_t before = job.supersteps();
  time.run_until([&] { return job.supersteps() > before + 1 && job.seconds(job.supersteps() - 1) <= fast; },
                 start + slow_for + 40s);
  double sum = 0;
  for (std::size_t i = before; i < job.supersteps(); ++i)
    sum += job.seconds(i);
  return sum;
}

TEST(FasterLink, is_noticed_within_seconds) {
  for (const auto& [round_trip, queue_bytes] :
       {std::pair{20ms, 64U << 10}, {20ms, 512U << 10}, {70ms, 64U << 10}, {70ms, 512U << 10}}) {
    for (const std::uint64_t seed : {1U, 2U})
      EXPECT_LT(seconds_to_new_rate({round_trip, queue_bytes, seed}), 5)
          << round_trip.count() << " ms, " << queue_bytes;
  }
}

}  // namespace
}  // namespace lbsp::plan
