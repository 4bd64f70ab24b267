#include "transport/lasting/held_boundaries.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

TEST(HeldBoundaries, are_the_newest_and_the_one_that_was_told_before) {
  HeldBoundaries held;
  EXPECT_EQ(held.begin_exchange(), (Held{0, 0}));
  held.hold(3);
  EXPECT_EQ(held.begin_exchange(), (Held{0, 3}));
  EXPECT_EQ(held.begin_exchange(), (Held{3, 3}));
  held.hold(4);
  held.hold(5);
  EXPECT_EQ(held.begin_exchange(), (Held{3, 5})) << "nobody was told of 4";
}

TEST(HeldBoundaries, are_held_by_all_in_the_exchange_after_the_one_that_began_with_a_new_one) {
  HeldBoundaries held;
  held.begin_exchange();
  EXPECT_FALSE(held.all_have_newest()) << "there was none before";
  held.hold(3);
  held.begin_exchange();
  EXPECT_FALSE(held.all_have_newest()) << "this one tells of it";
  held.begin_exchange();
  EXPECT_TRUE(held.all_have_newest());
  held.begin_exchange();
  EXPECT_FALSE(held.all_have_newest()) << "only one exchange has it so";
}

TEST(HeldBoundaries, are_not_known_of_all_where_each_exchange_has_a_new_one) {
  HeldBoundaries held;
  for (const std::uint64_t boundary : {1U, 2U, 3U}) {
    held.hold(boundary);
    held.begin_exchange();
    EXPECT_FALSE(held.all_have_newest());
  }
}

TEST(HeldBoundaries, of_an_epoch_begin_with_the_one_that_all_go_on_from) {
  HeldBoundaries held;
  held.hold(7);
  held.begin_exchange();
  held.hold(6);
  held.begin_epoch();
  EXPECT_EQ(held.newest(), 6U);
  EXPECT_EQ(held.begin_exchange(), (Held{6, 6}));
  EXPECT_FALSE(held.all_have_newest()) << "the exchange before was of another epoch";
}

}  // namespace
}  // namespace lbsp::transport
