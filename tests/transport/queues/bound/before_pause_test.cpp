#include "transport/queues/bound/before_pause.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

TEST(BeforePause, nothing_is_known_until_something_came_through_a_queue) {
  BeforePause before;
  EXPECT_FALSE(before.carried());
  before.note(100);
  EXPECT_EQ(before.carried(), 100);
  before.forget();
  EXPECT_FALSE(before.carried());
}

TEST(BeforePause, is_the_mean_of_the_last_burst_alone) {
  BeforePause before;
  before.note(100);
  before.end();
  before.note(50);
  EXPECT_EQ(before.carried(), 50) << "what came before the pause no longer counts";
  before.note(60);
  EXPECT_NEAR(*before.carried(), 53, 1e-9) << "0.3 of the way";
}

TEST(BeforePause, knows_how_long_nothing_was_sent_and_whether_a_burst_was_long) {
  BeforePause before;
  before.sent(start);
  EXPECT_EQ(before.sent(start + 5ms), 5ms);
  EXPECT_FALSE(before.end()) << "two datagrams";
  for (int i = 0; i < 15; ++i)
    before.sent(start + 6ms);
  EXPECT_FALSE(before.end());
  for (int i = 0; i < 16; ++i)
    before.sent(start + 7ms);
  EXPECT_TRUE(before.end());
}

}  // namespace
}  // namespace lbsp::transport
