#include "transport/peers/legs.hpp"

#include <gtest/gtest.h>

#include "tests/transport/message_ids.hpp"
#include "tests/transport/room_state.hpp"

/// When a leg is over, and what it awaits.
namespace lbsp::transport {
namespace {

using testing::first;
using testing::replies;

using namespace testing;

constexpr MessageId early{1, Leg::early};
constexpr MessageId second{1, Leg::messages};

class LegsTest : public ::testing::Test {
 protected:
  /// A message of one segment has arrived whole from this rank.
  void keep(Rank from, MessageId id) {
    IncomingMessage& message = peers_[from].inbound.messages.add(IncomingMessage(segment_of(id, 10, 0)));
    message.accept(segment_of(id, 10, 0), Bytes(10), start);
  }

  Peers peers_{config_of(3), start};
  Legs legs_{peers_, true};
  Legs rounds_{peers_, false};
};

TEST_F(LegsTest, a_leg_is_over_when_the_last_awaited_message_has_arrived) {
  EXPECT_FALSE(legs_.active());
  legs_.begin(first, {1, 2}, {1, 2}, start);
  EXPECT_TRUE(legs_.active());
  legs_.arrived(peers_[2], first);
  EXPECT_TRUE(legs_.active());
  EXPECT_FALSE(peers_[2].wait.awaited);
  EXPECT_TRUE(peers_[1].wait.awaited);
  legs_.arrived(peers_[1], first);
  EXPECT_FALSE(legs_.active());
}

TEST_F(LegsTest, a_leg_that_does_not_end_on_arrival_ends_when_it_is_said) {
  rounds_.begin(first, {1, 2}, {1}, start);
  rounds_.arrived(peers_[1], first);
  EXPECT_TRUE(rounds_.all_arrived());
  EXPECT_TRUE(rounds_.active());
  EXPECT_EQ(rounds_.position(), first);
  rounds_.complete();
  EXPECT_FALSE(rounds_.active());
  EXPECT_EQ(rounds_.position(), replies);
}

TEST_F(LegsTest, what_came_before_its_leg_is_not_awaited) {
  keep(1, first);
  legs_.begin(first, {}, {1, 2}, start);
  EXPECT_FALSE(peers_[1].wait.awaited);
  legs_.arrived(peers_[2], first);
  EXPECT_FALSE(legs_.active());
}

TEST_F(LegsTest, a_part_of_a_message_that_came_before_its_leg_does_not_end_it) {
  peers_[1].inbound.messages.add(IncomingMessage(segment_of(first, 3000, 0)));
  legs_.begin(first, {}, {1}, start);
  EXPECT_TRUE(peers_[1].wait.awaited);
  EXPECT_TRUE(legs_.active());
}

TEST_F(LegsTest, a_leg_that_awaits_nothing_is_over_at_once_if_arrivals_end_it) {
  legs_.begin(first, {1, 2}, {}, start);
  EXPECT_FALSE(legs_.active());
  rounds_.begin(first, {1, 2}, {}, start);
  EXPECT_TRUE(rounds_.active());
}

TEST_F(LegsTest, other_legs_messages_and_repeated_ones_do_not_count) {
  legs_.begin(first, {}, {1, 2}, start);
  legs_.arrived(peers_[1], second);
  EXPECT_TRUE(peers_[1].wait.awaited);
  legs_.arrived(peers_[1], first);
  legs_.arrived(peers_[1], first);
  EXPECT_FALSE(legs_.all_arrived());
}

TEST_F(LegsTest, the_position_goes_from_messages_to_replies_to_what_is_early_for_the_next_superstep) {
  legs_.begin(first, {}, {}, start);
  EXPECT_EQ(legs_.position(), replies);
  EXPECT_TRUE(legs_.is_past(first));
  EXPECT_FALSE(legs_.is_past(replies));
  legs_.begin(replies, {}, {}, start);
  EXPECT_EQ(legs_.position(), early);
  legs_.begin(early, {}, {}, start);
  EXPECT_EQ(legs_.position(), second);
  legs_.begin(second, {}, {1}, start);
  EXPECT_EQ(legs_.position(), second) << "it is not over";
}

TEST_F(LegsTest, what_is_two_supersteps_old_is_forgotten) {
  for (const MessageId id : {first, second})
    keep(1, id);
  legs_.begin({2, Leg::messages}, {}, {1}, start);
  EXPECT_EQ(peers_[1].inbound.messages.find(first), nullptr);
  EXPECT_NE(peers_[1].inbound.messages.find(second), nullptr);
}

TEST_F(LegsTest, an_awaited_message_gets_on_from_the_beginning_of_its_leg) {
  legs_.begin(first, {}, {2}, start + 7s);
  EXPECT_EQ(peers_[2].wait.progress_at, start + 7s);
  EXPECT_EQ(peers_[1].wait.progress_at, start);
}

}  // namespace
}  // namespace lbsp::transport
