#include "transport/wire/packet_number.hpp"

#include <gtest/gtest.h>

#include "transport/wire/replay_window.hpp"
#include "transport/wire/sealing.hpp"

/// Whole packet numbers from their lower part.
namespace lbsp::transport {
namespace {

constexpr std::uint64_t window = packet_number_window;

std::uint64_t seen_by(std::uint64_t next, std::uint64_t packet) {
  return whole_packet_number(packet % window, next);
}

TEST(PacketNumber, the_first_numbers_are_what_they_are) {
  for (const std::uint64_t packet : {std::uint64_t{0}, std::uint64_t{1}, window / 2 - 1})
    EXPECT_EQ(seen_by(0, packet), packet);
}

TEST(PacketNumber, is_whole_on_both_sides_of_every_wrap) {
  for (const std::uint64_t wrap : {window, 2 * window, std::uint64_t{1} << 32, std::uint64_t{1} << 60}) {
    for (std::uint64_t next = wrap - 3; next <= wrap + 3; ++next) {
      for (std::uint64_t packet = wrap - 5; packet <= wrap + 5; ++packet)
        EXPECT_EQ(seen_by(next, packet), packet) << "after " << next;
    }
  }
}

TEST(PacketNumber, is_whole_wherever_a_datagram_may_be_taken) {
  for (const std::uint64_t next : {std::uint64_t{0}, std::uint64_t{5000}, window / 2, window - 1, window,
                                   window + window / 2, 7 * window}) {
    const std::uint64_t oldest = next - std::min(next, ReplayWindow::window_packets);
    for (const std::uint64_t packet : {oldest, next, next + DirectionKey::packets_per_epoch})
      EXPECT_EQ(seen_by(next, packet), packet) << "after " << next;
  }
}

TEST(PacketNumber, the_nearest_one_is_taken) {
  const std::uint64_t next = 5 * window + 77;
  EXPECT_EQ(seen_by(next, next + window / 2), next + window / 2);
  EXPECT_EQ(seen_by(next, next + window / 2 + 1), next - window / 2 + 1) << "no longer what was sent";
  EXPECT_EQ(seen_by(next, next - window / 2 + 1), next - window / 2 + 1);
  EXPECT_EQ(seen_by(next, next - window / 2), next + window / 2) << "no longer what was sent";
}

TEST(PacketNumber, none_is_below_zero) {
  for (const std::uint64_t next : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100}})
    EXPECT_EQ(whole_packet_number(window - 1, next), window - 1);
}

}  // namespace
}  // namespace lbsp::transport
