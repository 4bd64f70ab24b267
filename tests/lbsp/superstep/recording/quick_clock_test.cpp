#include "lbsp/superstep/recording/quick_clock.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace lbsp::superstep {
namespace {

using std::chrono::microseconds;
using Steady = QuickClock::Steady;

TEST(QuickClock, tells_the_steady_clocks_time_and_never_goes_back) {
  QuickClock clock;
  Steady::time_point last{};
  for (int pause = 0; pause < 20; ++pause) {
    for (int reading = 0; reading < 20'000; ++reading) {
      const auto before = Steady::now();
      const auto time = clock.now();
      const auto after = Steady::now();
      ASSERT_GE(time, before - microseconds{2});
      ASSERT_LE(time, after + microseconds{2});
      ASSERT_GE(time, last);
      last = time;
    }
    std::this_thread::sleep_for(microseconds{100 << (pause % 8)});
  }
}

TEST(QuickClock, tells_how_long_a_pause_was_from_its_first_reading_on) {
  QuickClock clock;
  const auto before = Steady::now();
  const auto first = clock.now();
  std::this_thread::sleep_for(std::chrono::milliseconds{3});
  const auto second = clock.now();
  const auto after = Steady::now();
  EXPECT_GE(second - first, std::chrono::milliseconds{3} - microseconds{2});
  EXPECT_LE(second - first, after - before + microseconds{2});
}

}  // namespace
}  // namespace lbsp::superstep
