#include "transport/probe/bandwidths.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport::probe {
namespace {

constexpr BytesPerSecond most = megabits_per_second(1000);
constexpr double up_rate = 5e6;
constexpr double down_rate = 2e6;

/// What a path of this rate, with a long queue and no loss, does to a train.
void carry(Bandwidths& bandwidths, const TrainPlan& train, double rate) {
  const std::uint32_t last = train.count - 1;
  const auto at = [&](double bytes_per_second) {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(static_cast<double>(last) * train.bytes / bytes_per_second));
  };
  TrainSeen seen;
  seen.received = train.count;
  seen.last = last;
  seen.neighbours = last;
  seen.span = seen.between = at(std::min(rate, train.rate()));
  seen.growth = (seen.span - at(train.rate())) / 3;
  bandwidths.take({train.count, at(train.rate())}, seen);
}

/// Sends trains until all that is wanted so far is found; returns how many came from the responder.
int find(Bandwidths& bandwidths) {
  int down = 0;
  while (const auto train = bandwidths.next()) {
    down += bandwidths.down() ? 1 : 0;
    carry(bandwidths, *train, bandwidths.down() ? down_rate : up_rate);
  }
  return down;
}

TEST(Bandwidths, first_look_at_both_directions_and_tell_the_slower) {
  Bandwidths bandwidths(1200, most);
  EXPECT_EQ(bandwidths.wanted(), 2U);
  EXPECT_EQ(bandwidths.next()->bytes, 1200U);
  EXPECT_GT(find(bandwidths), 0);
  EXPECT_EQ(bandwidths.found(), 2U);
  EXPECT_NEAR(bandwidths.first_look().value, down_rate, 0.05 * down_rate);
}

TEST(Bandwidths, are_then_found_of_every_size_and_direction_that_let_something_through) {
  std::vector<SizeResult> sizes(2);
  sizes[0].bytes = 500;
  sizes[1].bytes = 1400;
  for (SizeResult& size : sizes)
    size.up.loss.sent = size.down.loss.sent = 100;
  sizes[1].down.loss.lost = 100;
  Bandwidths bandwidths(1200, most);
  find(bandwidths);
  bandwidths.add(sizes);
  EXPECT_EQ(bandwidths.wanted(), 5U);
  find(bandwidths);
  EXPECT_EQ(bandwidths.found(), 5U);
  EXPECT_NEAR(sizes[0].up.bandwidth.value, up_rate, 0.05 * up_rate);
  EXPECT_NEAR(sizes[0].down.bandwidth.value, down_rate, 0.05 * down_rate);
  EXPECT_NEAR(sizes[1].up.bandwidth.value, up_rate, 0.05 * up_rate);
  EXPECT_EQ(sizes[1].down.bandwidth.value, 0);
}

TEST(Bandwidths, of_a_path_faster_than_the_sender_are_marked_so) {
  std::vector<SizeResult> sizes(1);
  sizes[0].bytes = 1000;
  sizes[0].up.loss.sent = 100;
  Bandwidths bandwidths(1000, megabits_per_second(10));
  bandwidths.add(sizes);
  find(bandwidths);
  EXPECT_TRUE(sizes[0].up.limited_by_sender);
}

}  // namespace
}  // namespace lbsp::transport::probe
