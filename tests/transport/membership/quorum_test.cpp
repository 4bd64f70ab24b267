#include "transport/membership/quorum.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

TEST(Quorum, is_more_than_half_or_half_with_the_lowest) {
  const MemberSet four{1, 3, 5, 7};
  EXPECT_TRUE(has_quorum({3, 5, 7}, four));
  EXPECT_TRUE(has_quorum({1, 7}, four));
  EXPECT_FALSE(has_quorum({3, 5}, four));
  EXPECT_FALSE(has_quorum({0, 2, 4, 7}, four)) << "others do not count";
}

TEST(Quorum, no_two_sets_without_a_common_member_are_both_one) {
  for (Slot size = 1; size <= 8; ++size) {
    const MemberSet all = MemberSet::first(size);
    for (unsigned bits = 0; bits < 1u << size; ++bits) {
      MemberSet some;
      for (Slot slot = 0; slot < size; ++slot) {
        if ((bits >> slot & 1u) != 0) some.add(slot);
      }
      EXPECT_NE(has_quorum(some, all), has_quorum(all - some, all)) << size << " " << bits;
    }
  }
}

TEST(Quorum, a_job_survives_the_loss_of_any_minority) {
  EXPECT_EQ(survives_any(2), 0);
  EXPECT_EQ(survives_any(3), 1);
  EXPECT_EQ(survives_any(4), 1);
  EXPECT_EQ(survives_any(5), 2);
  for (Slot size = 1; size < 20; ++size) {
    const MemberSet all = MemberSet::first(size);
    const MemberSet lowest_lost = all - MemberSet::first(survives_any(size));
    EXPECT_TRUE(has_quorum(lowest_lost, all)) << size;
    EXPECT_FALSE(has_quorum(lowest_lost - MemberSet{lowest_lost.lowest()}, all)) << size;
  }
}

TEST(MemberSet, counts_finds_and_orders_slots) {
  const MemberSet set{3, 64, 255};
  EXPECT_EQ(set.count(), 3);
  EXPECT_EQ(set.lowest(), 3);
  EXPECT_EQ(set.bound(), 256);
  EXPECT_EQ(set.below(64), 1);
  EXPECT_EQ(set.below(255), 2);
  EXPECT_EQ(MemberSet{}.lowest(), -1);
  EXPECT_EQ(MemberSet{}.bound(), 0);
  EXPECT_FALSE(set.has(-1) || set.has(256) || set.has(4));
  EXPECT_EQ((set - MemberSet{64}), (MemberSet{3, 255}));
  EXPECT_TRUE(set.contains({3, 255}));
  EXPECT_FALSE(set.contains({3, 4}));
}

}  // namespace
}  // namespace lbsp::transport
