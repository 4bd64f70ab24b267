#include <cstddef>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// The first supersteps of short messages between hosts that are near each other, behind token buckets of slow links.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t message_bytes = 1024;
constexpr std::size_t first_supersteps = 3;

struct SlowStart {
  double bytes_per_byte;  ///< on the wire, of each of a message, from the beginning
  double seconds;
};

SlowStart begin_behind(double kilobits, Rank ranks) {
  SimulationConfig config = planned_job(ranks, "rtt=0.3ms");
  give_uplinks(config, token_bucket(kilobits / 1000, 20'000, 4000));
  RunningJob job(config, [](Rank, Rank) { return message_bytes; });
  SharedTime time;
  time.add(job);
  EXPECT_TRUE(time.run_until([&] { return job.supersteps() >= first_supersteps; }, start + 60s));
  const double messages = static_cast<double>(first_supersteps) * ranks * (ranks - 1);
  return {static_cast<double>(job.traffic().wire_bytes_sent) / (messages * message_bytes),
          std::chrono::duration<double>(job.network().now() - start).count()};
}

/// The questions of the start had passed the bucket in 0.3 ms, so the first message went out 18 times in 0.1 s.
TEST(SlowStart, does_not_repeat_the_first_message_before_it_can_be_answered) {
  const SlowStart two = begin_behind(64, 2);
  EXPECT_LT(two.bytes_per_byte, 6.5) << "8.7";
  EXPECT_LT(two.seconds, 3) << "3.7";
  EXPECT_LT(begin_behind(64, 4).bytes_per_byte, 7.5) << "10.3";
  EXPECT_LT(begin_behind(100, 4).bytes_per_byte, 7) << "9.6";
}

}  // namespace
}  // namespace lbsp::plan
