#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// How a job begins behind shapers that let some datagrams pass at once, as the kernel's htb and tbf do: what a link
/// carries shows only once the bucket is empty.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

struct BucketStart {
  double seconds;  ///< a superstep, in the mean
  double drops;    ///< of all datagrams
};

/// Three ranks send each other 64 KiB, ten times.
BucketStart start_behind_bucket(double megabits, std::uint64_t queue_bytes, const char* wan,
                                std::uint64_t seed) {
  constexpr std::uint64_t one_packet = 1600;
  SimulationConfig config = planned_job(3, wan);
  config.seed = seed;
  config.topology.hosts.assign(3, {});
  std::vector<std::shared_ptr<Bottleneck>> uplinks;
  for (auto& host : config.topology.hosts) {
    uplinks.push_back(std::make_shared<Bottleneck>(BottleneckSpec{
        .rate = megabits_per_second(megabits), .queue_bytes = queue_bytes, .bucket_bytes = one_packet}));
    host.uplink = uplinks.back();
  }
  RunningJob job(config, [](Rank, Rank) { return std::size_t{64} << 10; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 10; }, transport::start + 60s);
  double dropped = 0;
  double offered = 0;
  for (const auto& uplink : uplinks) {
    dropped += static_cast<double>(uplink->drops());
    offered += static_cast<double>(uplink->drops() + uplink->datagrams());
  }
  return {job.mean_seconds(0), dropped / offered};
}

/// The bytes alone take 0.22 s.
TEST(BucketStart, floods_no_link_of_5_megabits) {
  const BucketStart outcome = start_behind_bucket(5, 25'000, "rtt=40ms", 1);
  EXPECT_LT(outcome.seconds, 0.26) << "0.27 where the train that passes at once is believed";
  EXPECT_LT(outcome.drops, 0.02) << "0.3";
}

/// They take 0.54 s, and half a round trip 0.3.
TEST(BucketStart, floods_no_satellite) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const BucketStart outcome = start_behind_bucket(2, 30'000, "rtt=600ms,jitter=0.1ms", seed);
    EXPECT_LT(outcome.seconds, 0.95) << "1.65 to 1.77 where the train that passes at once is believed";
    EXPECT_LT(outcome.drops, 0.04) << "0.45";
  }
}

}  // namespace
}  // namespace lbsp::plan
