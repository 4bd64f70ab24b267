#include "transport/shared_memory/room_copies.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace lbsp::transport::shared_memory {
namespace {

using namespace std::chrono_literals;
using Way = CopyChoice::Way;

constexpr std::size_t room_copy_bytes = 65536;
constexpr Duration near_time = 2us;
constexpr Duration far_time = 30us;

/// How many of so many copies went each way, where a copy through the cache takes so long.
struct Ways {
  int cached = 0;
  int measured = 0;
  int past_cache = 0;
};
Ways copies(CopyChoice& choice, int count, Duration time) {
  Ways ways;
  for (int i = 0; i < count; ++i) {
    switch (choice.next()) {
      case Way::cached:
        ++ways.cached;
        break;
      case Way::past_cache:
        ++ways.past_cache;
        break;
      case Way::cached_and_measured:
        ++ways.measured;
        choice.took(room_copy_bytes, time);
    }
  }
  return ways;
}

TEST(CopyChoice, stays_with_the_cache_where_it_is_near) {
  CopyChoice choice;
  const Ways ways = copies(choice, 1000, near_time);
  EXPECT_EQ(ways.past_cache, 0);
  EXPECT_EQ(ways.measured, 1000 / CopyChoice::measured_every);
}

TEST(CopyChoice, goes_past_the_cache_soon_where_that_is_far) {
  CopyChoice choice;
  EXPECT_LE(copies(choice, 1000, far_time).cached, CopyChoice::measured_every);
  EXPECT_LE(copies(choice, 100'000, far_time).measured, 30) << "trials become rare";
}

TEST(CopyChoice, is_not_misled_by_one_copy_that_was_interrupted) {
  CopyChoice choice;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(copies(choice, CopyChoice::measured_every, far_time).past_cache, 0);
    EXPECT_EQ(copies(choice, 1, near_time).measured, 1) << "the next one is measured at once";
  }
}

TEST(CopyChoice, follows_a_rank_that_moves) {
  CopyChoice choice;
  for (int i = 0; i < 5; ++i) {
    copies(choice, 20'000, far_time);
    EXPECT_EQ(copies(choice, 10, far_time).past_cache, 10);
    copies(choice, CopyChoice::most_between_trials + 2, near_time);
    EXPECT_EQ(copies(choice, 100, near_time).past_cache, 0);
  }
}

TEST(CopyPastCache, copies_every_length_from_and_to_every_place) {
  std::vector<std::byte> source(700);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t at = 0; at < 70; at += 3) {
    for (std::size_t bytes = 0; bytes < 400; bytes += 1 + bytes / 40) {
      std::vector<std::byte> place(source.size(), std::byte{0});
      copy_past_cache(place.data() + at, std::span(source).subspan(5, bytes));
      std::vector<std::byte> expected(source.size(), std::byte{0});
      std::copy_n(source.begin() + 5, bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_EQ(place, expected) << bytes << " bytes to " << at;
    }
  }
}

TEST(RoomCopies, copies_whichever_way_it_goes) {
  RoomCopies copies;
  std::vector<std::byte> source(50'000);
  std::vector<std::byte> place(source.size());
  for (int i = 0; i < 300; ++i) {
    std::ranges::fill(source, static_cast<std::byte>(i));
    copies.copy(place.data(), source);
    ASSERT_EQ(place, source);
  }
}

}  // namespace
}  // namespace lbsp::transport::shared_memory
