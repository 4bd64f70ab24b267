#include "transport/membership/own_pauses.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant begin{1s};
constexpr Duration peer_timeout = 640ms;

TEST(OwnPauses, excuse_others_only_after_half_of_the_peer_timeout) {
  OwnPauses pauses(peer_timeout, begin);
  EXPECT_EQ(pauses.look(begin + 319ms), 0ms);
  EXPECT_EQ(pauses.look(begin + 319ms + 320ms), 320ms);
  EXPECT_EQ(pauses.look(begin + 700ms), 0ms);
}

TEST(OwnPauses, are_just_over_until_what_came_meanwhile_has_been_read) {
  OwnPauses pauses(peer_timeout, begin);
  pauses.look(begin + 127ms);
  EXPECT_FALSE(pauses.is_just_over(begin + 127ms)) << "a fifth of the peer timeout would be one";
  const Instant awake = begin + 127ms + 128ms;
  pauses.look(awake);
  EXPECT_TRUE(pauses.is_just_over(awake + 9ms));
  EXPECT_FALSE(pauses.is_just_over(awake + 10ms));
  EXPECT_EQ(pauses.all_read_at(), awake + 10ms);
}

TEST(OwnPauses, are_looked_for_eight_times_in_the_peer_timeout) {
  OwnPauses pauses(peer_timeout, begin);
  EXPECT_EQ(pauses.next_look(), begin + 80ms);
  pauses.look(begin + 30ms);
  EXPECT_EQ(pauses.next_look(), begin + 110ms);
  pauses.look(begin + 20ms);
  EXPECT_EQ(pauses.next_look(), begin + 110ms) << "it was later before";
}

}  // namespace
}  // namespace lbsp::transport
