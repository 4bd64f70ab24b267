#include "lbsp/dataflow/survival/held_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::dataflow::survival {
namespace {

HeldStreams of_ten_bytes(StreamId count) {
  HeldStreams held;
  for (StreamId id = 0; id < count; ++id)
    held.put(id, StreamBytes(10));
  return held;
}

TEST(HeldStreams, drop_of_the_spare_ones_the_oldest_and_no_more_than_they_must) {
  HeldStreams held = of_ten_bytes(5);
  for (const StreamId id : {3U, 1U, 4U})
    held.make_spare(id);
  EXPECT_EQ(held.spare_bytes(), 30U);
  held.drop_spare(20);
  EXPECT_THAT(held.ids(), testing::ElementsAre(0, 1, 2, 4));
  held.drop_spare(0);
  EXPECT_THAT(held.ids(), testing::ElementsAre(0, 2));
  EXPECT_EQ(held.spare_bytes(), 0U);
}

TEST(HeldStreams, that_are_needed_again_are_not_dropped) {
  HeldStreams held = of_ten_bytes(4);
  for (const StreamId id : {0U, 1U, 2U})
    held.make_spare(id);
  held.put(0, StreamBytes(12));
  EXPECT_EQ(held.spare_bytes(), 20U);
  held.keep_all();
  held.make_spare(2);
  held.drop_spare(0);
  EXPECT_THAT(held.ids(), testing::ElementsAre(0, 1, 3));
}

TEST(HeldStreams, are_gone_once_taken_or_dropped) {
  HeldStreams held = of_ten_bytes(2);
  held.make_spare(1);
  EXPECT_EQ(held.take(1).size(), 10U);
  held.drop(0);
  held.make_spare(0);
  EXPECT_EQ(held.find(0), nullptr);
  EXPECT_EQ(held.spare_bytes(), 0U);
}

}  // namespace
}  // namespace lbsp::dataflow::survival
