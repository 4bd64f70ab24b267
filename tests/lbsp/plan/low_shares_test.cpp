#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/short_messages.hpp"

/// Hosts of several ranks, each of which has a small part of a link of a few Mbit/s, and short messages.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;

/// Of a superstep in the mean, and of some seeds.
double seconds_of_shares(const RanksOnLinks& on) {
  constexpr std::uint64_t seeds = 6;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    mean += ShortMessages(on, seed).run(40, 300s).mean_seconds(2) / seeds;
  return mean;
}

struct LowShare {
  RanksOnLinks on;
  double most_seconds;
  double seconds_before;
};

/// What was lost waited each time until there would have been time for reports to all.
TEST(LowShares, wait_for_no_reports_to_those_that_need_none) {
  for (const LowShare& each : {LowShare{{3, 4, 1, "rtt=25ms,loss=5%,burst=4"}, 0.3, 0.447},
                               LowShare{{4, 4, 3, "rtt=5ms,loss=10%,burst=4"}, 0.29, 0.366},
                               LowShare{{2, 4, 3, "rtt=1ms,loss=15%,burst=4"}, 0.07, 0.112},
                               LowShare{{2, 4, 0.5, "rtt=1ms,loss=10%"}, 0.16, 0.226}}) {
    EXPECT_LT(seconds_of_shares(each.on), each.most_seconds)
        << each.on.megabits << " Mbit/s, " << each.on.wan << ", " << each.seconds_before;
  }
}

}  // namespace
}  // namespace lbsp::plan
