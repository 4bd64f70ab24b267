#include "transport/lasting/own_leave.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration patience_of_leave = 4s;

TEST(OwnLeave, waits_for_the_exchange_of_nothing) {
  OwnLeave leave(patience_of_leave);
  EXPECT_FALSE(leave.begin(true, true, start)) << "the last exchange may not be complete";
  EXPECT_FALSE(leave.is_closing());
  leave.begin_closing();
  EXPECT_TRUE(leave.is_closing());
  EXPECT_FALSE(leave.begin(false, false, start));
  EXPECT_FALSE(leave.is_leaving());
  EXPECT_TRUE(leave.begin(true, false, start));
  EXPECT_TRUE(leave.is_leaving());
  EXPECT_TRUE(leave.is_closing());
}

TEST(OwnLeave, is_begun_once) {
  OwnLeave leave(patience_of_leave);
  leave.begin_closing();
  EXPECT_TRUE(leave.begin(true, false, start));
  EXPECT_FALSE(leave.begin(true, false, start));
}

TEST(OwnLeave, follows_a_peer_that_takes_its_own) {
  OwnLeave leave(patience_of_leave);
  leave.begin_closing();
  EXPECT_TRUE(leave.begin(false, true, start));
}

TEST(OwnLeave, is_put_off_by_a_change_of_the_world) {
  OwnLeave leave(patience_of_leave);
  leave.begin_closing();
  leave.begin_epoch();
  EXPECT_FALSE(leave.is_closing());
  EXPECT_FALSE(leave.begin(true, false, start));
}

TEST(OwnLeave, is_not_taken_by_who_has_just_slept_unless_a_peer_has_taken_its_own) {
  OwnLeave leave(patience_of_leave);
  leave.begin_closing();
  leave.look(start);
  leave.look(start + 3s);
  EXPECT_FALSE(leave.begin(true, false, start + 3500ms));
  OwnLeave other = leave;
  EXPECT_TRUE(other.begin(true, true, start + 3500ms));
  EXPECT_TRUE(leave.begin(true, false, start + 4500ms)) << "by now it has read what had come meanwhile";
}

}  // namespace
}  // namespace lbsp::transport
