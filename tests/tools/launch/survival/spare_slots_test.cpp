#include "tools/launch/survival/spare_slots.hpp"

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>

#include "tools/launch/places/placement.hpp"

namespace lbsp::launch::survival {
namespace {

using namespace std::chrono_literals;
using Loss = SpareSlots::Loss;

constexpr SpareSlots::Time start{};

/// Three hosts with a rank each, and one with free slots.
places::Placement three_and(int spares) {
  places::Placement placement;
  placement.hosts.resize(4);
  placement.hosts[3].spares = spares;
  return placement;
}

TEST(SpareSlots, are_elsewhere_for_who_is_silent_as_long_as_there_are_any) {
  SpareSlots slots(three_and(1), 6s);
  EXPECT_EQ(slots.take(1, 1, Loss::silence, start), 3U);
  EXPECT_EQ(slots.take(2, 2, Loss::silence, start), 2U);
}

/// Where hosts 1 and 2 do not reach each other, ranks 1 and 2 are missed each time, and rank 1 stays.
TEST(SpareSlots, are_kept_for_who_is_silent_again_on_its_host) {
  SpareSlots slots(three_and(1), 6s);
  slots.take(1, 1, Loss::silence, start);
  slots.take(2, 2, Loss::silence, start);
  slots.give_back(3);
  slots.seated(2, start + 1s);
  EXPECT_EQ(slots.take(1, 1, Loss::silence, start + 4s), 1U);
  EXPECT_EQ(slots.take(2, 2, Loss::silence, start + 4s), 3U);
}

TEST(SpareSlots, are_not_where_the_rank_was_silent_again_soon_three_times) {
  SpareSlots slots(three_and(0), 6s);
  SpareSlots::Time now = start;
  for (int begun = 0; begun < 3; ++begun) {
    EXPECT_EQ(slots.take(2, 2, Loss::silence, now), 2U);
    slots.seated(2, now + 1s);
    now += 4s;
  }
  EXPECT_EQ(slots.take(2, 2, Loss::silence, now), std::nullopt);
  EXPECT_EQ(slots.take(2, 2, Loss::silence, now + 1s), std::nullopt)
      << "the last one has said that it is lost";
}

TEST(SpareSlots, are_where_the_rank_is_silent_again_after_long) {
  SpareSlots slots(three_and(0), 6s);
  SpareSlots::Time now = start;
  for (int begun = 0; begun < 7; ++begun) {
    EXPECT_EQ(slots.take(2, 2, Loss::silence, now), 2U);
    slots.seated(2, now + 1s);
    now += begun % 3 == 2 ? 8s : 4s;
  }
}

TEST(SpareSlots, are_not_kept_from_one_whose_host_is_gone) {
  SpareSlots slots(three_and(1), 6s);
  slots.take(1, 1, Loss::silence, start);
  slots.take(2, 2, Loss::silence, start);
  slots.give_back(3);
  slots.seated(2, start + 1s);
  EXPECT_EQ(slots.take(0, 0, Loss::host, start + 2s), 3U);
}

/// Its process has ended, and was heard before.
TEST(SpareSlots, are_on_the_host_of_one_that_has_ended_soon) {
  SpareSlots slots(three_and(0), 6s);
  slots.take(2, 2, Loss::silence, start);
  slots.seated(2, start + 1s);
  EXPECT_EQ(slots.take(2, 2, Loss::process, start + 2s), 2U);
}

}  // namespace
}  // namespace lbsp::launch::survival
