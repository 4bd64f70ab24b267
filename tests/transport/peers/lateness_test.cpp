#include "transport/peers/lateness.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant lateness_start{100s};

TEST(Lateness, is_none_on_a_host_that_is_not_overloaded) {
  Lateness lateness;
  EXPECT_EQ(lateness.of(lateness_start), 0ms);
  lateness.note(1ms, lateness_start);
  lateness.note(19ms, lateness_start);
  EXPECT_EQ(lateness.of(lateness_start), 0ms);
}

TEST(Lateness, is_none_of_a_rank_that_was_stopped_once) {
  Lateness lateness;
  lateness.note(600ms, lateness_start);
  lateness.note(600ms, lateness_start + 1ms);
  lateness.note(590ms, lateness_start + 49ms);
  EXPECT_EQ(lateness.of(lateness_start + 49ms), 0ms);
}

TEST(Lateness, is_the_lesser_of_the_last_two_pauses_and_is_forgotten) {
  Lateness lateness;
  lateness.note(400ms, lateness_start);
  lateness.note(200ms, lateness_start + 200ms);
  lateness.note(300ms, lateness_start + 210ms);
  EXPECT_EQ(lateness.of(lateness_start + 300ms), 300ms);
  EXPECT_EQ(lateness.of(lateness_start + 1300ms), 150ms);
  EXPECT_LT(lateness.of(lateness_start + 10s), 1ms);
  EXPECT_EQ(lateness.of(lateness_start + 100s), 0ms);
}

TEST(Lateness, does_not_count_all_of_long_pauses) {
  Lateness lateness;
  lateness.note(60s, lateness_start);
  lateness.note(60s, lateness_start + 60s);
  lateness.note(60s, lateness_start + 61s);
  EXPECT_LE(lateness.of(lateness_start + 61s), 1s);
}

}  // namespace
}  // namespace lbsp::transport
