#include "transport/membership/callers.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <span>

namespace lbsp::transport {
namespace {

constexpr Slot callers_size = 4;
constexpr Cipher callers_cipher = Cipher::chacha20_poly1305;

Seat seat_of(Slot slot) {
  Seat seat{.slot = slot, .spare = 0, .incarnation = {}};
  seat.incarnation.bytes[0] = std::byte{7};
  return seat;
}

Letter letter_for(const Seat& seat) {
  MemberSet members = MemberSet::first(callers_size);
  members.remove(seat.slot);
  return {.epoch = 1,
          .key = {},
          .before = MemberSet::first(callers_size),
          .value = {.members = members, .boundary = 0, .seats = {seat}}};
}

class KnockingAtOne {
 public:
  explicit KnockingAtOne(const Seat& seat) : channel_({}, seat, callers_size, callers_cipher) {}

  std::optional<Station> at(Callers& callers) {
    std::array<std::byte, knock_bytes> datagram{};
    channel_.write(1, datagram);
    return callers.take(datagram, Instant{});
  }

 private:
  KnockChannel channel_;
};

TEST(Callers, send_to_where_a_new_process_knocked) {
  Callers callers({}, 1, callers_size, callers_cipher);
  KnockingAtOne newcomer(seat_of(2));
  const auto station = newcomer.at(callers);
  ASSERT_EQ(station, callers_size);
  callers.seat(letter_for(seat_of(2)));
  EXPECT_EQ(callers.station_of(2), *station);
}

TEST(Callers, send_one_that_never_knocked_here_to_what_was_its_slots_address_at_the_start) {
  Callers callers({}, 1, callers_size, callers_cipher);
  callers.seat(letter_for(seat_of(2)));
  EXPECT_EQ(callers.station_of(2), 2);
  EXPECT_EQ(callers.slot_of(2), 2);
  KnockingAtOne newcomer(seat_of(2));
  EXPECT_EQ(newcomer.at(callers), callers_size);
  EXPECT_EQ(callers.station_of(2), callers_size) << "it has told where it is";
}

}  // namespace
}  // namespace lbsp::transport
