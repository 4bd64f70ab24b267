#include "transport/paths/narrow_path.hpp"

#include <cstdint>
#include <gtest/gtest.h>

/// What tells that a path carries less than a datagram.
namespace lbsp::transport::testing {
namespace {

TEST(NarrowPath, a_witness_is_a_short_datagram_that_arrived_after_a_long_one_that_did_not) {
  NarrowPath path;
  path.sent(0, 100);
  EXPECT_FALSE(path.reported(0, 100)) << "nothing long was sent";
  path.sent(1, 1400);
  EXPECT_FALSE(path.reported(0, 100)) << "it went out later";
  path.sent(2, 100);
  EXPECT_TRUE(path.reported(2, 100));
  EXPECT_FALSE(path.reported(2, 100)) << "the same again";
  path.sent(3, 1400);
  path.sent(4, 1400);
  path.sent(5, 100);
  EXPECT_TRUE(path.reported(5, 100)) << "once, however many long ones are lost";
  EXPECT_FALSE(path.reported(5, 100));
  EXPECT_TRUE(path.doubtful());
  path.arrived(1300);
  EXPECT_TRUE(path.doubtful()) << "a shorter one says nothing";
  path.arrived(1400);
  EXPECT_FALSE(path.doubtful());
}

TEST(NarrowPath, is_suspected_at_the_fourth_witness) {
  NarrowPath path;
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(path.suspected());
    path.sent(2 * i, 1400);
    path.sent(2 * i + 1, 100);
    path.reported(2 * i + 1, 100);
  }
  EXPECT_TRUE(path.suspected());
}

TEST(NarrowPath, is_suspected_when_six_long_ones_in_a_row_are_lost) {
  for (const std::uint64_t lost : {5u, 6u}) {
    NarrowPath path;
    for (std::uint64_t i = 0; i < lost; ++i)
      path.sent(i, 1400);
    path.sent(6, 100);
    path.reported(6, 100);
    EXPECT_EQ(path.suspected(), lost == 6) << lost;
  }
}

/// So many long ones and a short one, of which an echo tells; of the others so many have arrived.
void echo(NarrowPath& path, int long_ones, std::uint32_t others_arrived) {
  for (int i = 0; i < long_ones; ++i)
    path.passed(1400);
  path.passed(100);
  path.echoed(100, others_arrived);
}

TEST(NarrowPath, lacks_long_ones_when_echoes_tell_of_six_of_which_none_has_arrived) {
  NarrowPath path;
  echo(path, 3, 1);
  echo(path, 2, 0);
  EXPECT_FALSE(path.lacks_long_ones());
  echo(path, 1, 1);
  EXPECT_TRUE(path.lacks_long_ones());
  EXPECT_FALSE(path.suspected()) << "a full queue does that, too";
  path.arrived(1300);
  EXPECT_TRUE(path.lacks_long_ones()) << "a shorter one says nothing";
  path.arrived(1400);
  EXPECT_FALSE(path.lacks_long_ones());
}

TEST(NarrowPath, lacks_no_long_ones_where_more_have_arrived_than_short_ones) {
  NarrowPath path;
  for (int i = 0; i < 10; ++i)
    echo(path, 5, 2);
  EXPECT_FALSE(path.lacks_long_ones());
  for (int i = 0; i < 10; ++i) {
    echo(path, 5, 0);
    path.passed(1400);
    path.echoed(1400, 0);
    EXPECT_FALSE(path.lacks_long_ones());
  }
}

TEST(NarrowPath, may_lack_all_of_the_last_long_ones_where_many_are_missing) {
  NarrowPath path;
  echo(path, 100, 97);
  EXPECT_FALSE(path.lacks_long_ones());
  echo(path, 100, 50);
  EXPECT_TRUE(path.lacks_long_ones());
  path.passed(1400);
  path.echoed(1400, 1);
  EXPECT_FALSE(path.lacks_long_ones());
}

TEST(NarrowPath, does_not_take_the_end_of_a_message_for_one_of_its_long_datagrams) {
  NarrowPath path;
  for (std::uint64_t i = 0; i < 6; ++i)
    path.sent(i, 1400);
  path.sent(6, 1300);
  path.arrived(1300);
  path.reported(6, 1300);
  EXPECT_TRUE(path.suspected());
}

}  // namespace
}  // namespace lbsp::transport::testing
