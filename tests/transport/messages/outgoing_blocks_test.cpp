#include "transport/messages/outgoing_blocks.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

constexpr std::uint32_t segments = 300;  // three blocks of 100

TEST(OutgoingBlocks, plan_coded_segments_for_what_is_protected) {
  OutgoingBlocks blocks(segments);
  blocks.plan({.repair_segments = 7, .first_protected = 150});
  EXPECT_EQ(blocks[0].planned, 0);
  EXPECT_EQ(blocks[1].planned, 7) << "part of it is";
  EXPECT_EQ(blocks[2].planned, 7);
}

TEST(OutgoingBlocks, plan_no_more_than_the_code_has) {
  OutgoingBlocks blocks(segments);
  blocks.plan({.repair_segments = 10'000, .first_protected = 0});
  EXPECT_EQ(blocks[0].planned, most_repair_segments);
  blocks.plan({.repair_segments = -1, .first_protected = 0});
  EXPECT_EQ(blocks[0].planned, 0);
}

TEST(OutgoingBlocks, are_coded_once_each_when_all_their_segments_have_been_sent) {
  OutgoingBlocks blocks(segments);
  blocks.plan({.repair_segments = 1, .first_protected = 0});
  EXPECT_EQ(blocks.next_to_code(99), std::nullopt);
  EXPECT_EQ(blocks.next_to_code(100), 0U);
  EXPECT_EQ(blocks.next_to_code(100), std::nullopt);
  EXPECT_EQ(blocks.next_to_code(segments), 1U);
  EXPECT_EQ(blocks.next_to_code(segments), 2U);
  EXPECT_EQ(blocks.next_to_code(segments), std::nullopt);
}

TEST(OutgoingBlocks, without_a_plan_are_never_coded) {
  OutgoingBlocks blocks(segments);
  EXPECT_EQ(blocks.next_to_code(segments), std::nullopt);
  EXPECT_EQ(blocks.most_transmissions(), 1);
  blocks.note_held(0, 3);  // of a report about a message that is not coded
}

TEST(OutgoingBlocks, count_the_planned_transmissions_of_a_segment) {
  OutgoingBlocks blocks(2);
  blocks.plan({.repair_segments = 2, .first_protected = 0});
  EXPECT_EQ(blocks.most_transmissions(), 2);
  blocks.plan({.repair_segments = 3, .first_protected = 0});
  EXPECT_EQ(blocks.most_transmissions(), 3) << "rounded up";
}

TEST(OutgoingBlocks, remember_the_most_that_the_receiver_said_it_holds) {
  OutgoingBlocks blocks(segments);
  blocks.plan({.repair_segments = 3, .first_protected = 0});
  blocks.note_held(1, 3);
  blocks.note_held(1, 2);
  blocks.note_held(7, 3);  // there is no such block
  EXPECT_EQ(blocks[1].held, 3);
  EXPECT_EQ(blocks[0].held, 0);
}

}  // namespace
}  // namespace lbsp::transport
