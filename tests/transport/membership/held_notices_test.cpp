#include "transport/membership/held_notices.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

LossNotice end_of(Slot slot, Epoch epoch) {
  return {.slot = slot, .epoch = epoch, .ended = true};
}

TEST(HeldNotices, hold_for_the_process_that_has_the_slot_and_not_for_its_successor) {
  HeldNotices notices;
  notices.hold(end_of(3, 0));
  EXPECT_EQ(notices.take(2).size(), 1u) << "nobody else has had it since";
  EXPECT_TRUE(notices.take(2).empty());
  notices.seated(3, 3);
  notices.hold(end_of(3, 2));
  EXPECT_TRUE(notices.take(3).empty()) << "the one before";
  notices.hold(end_of(3, 3));
  EXPECT_EQ(notices.take(4).size(), 1u);
}

TEST(HeldNotices, wait_for_the_epoch_that_they_speak_of) {
  HeldNotices notices;
  notices.hold(end_of(1, 2));
  EXPECT_TRUE(notices.take(1).empty());
  EXPECT_EQ(notices.take(2).size(), 1u);
}

TEST(HeldNotices, of_epochs_before_its_own_tell_a_new_process_nothing) {
  HeldNotices notices(5);
  notices.hold(end_of(1, 4));
  EXPECT_TRUE(notices.take(5).empty()) << "another process may have had the slot then";
  notices.hold(end_of(1, 5));
  EXPECT_EQ(notices.take(5).size(), 1u);
}

}  // namespace
}  // namespace lbsp::transport
