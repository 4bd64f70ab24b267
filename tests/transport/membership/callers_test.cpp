#include "transport/membership/callers.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <vector>

namespace lbsp::transport {
namespace {

constexpr Slot callers_size = 4;
constexpr Cipher callers_cipher = Cipher::chacha20_poly1305;

Seat seat_of(Slot slot) {
  Seat seat{.slot = slot, .spare = 0, .incarnation = {}};
  seat.incarnation.bytes[0] = std::byte{7};
  return seat;
}

Seat seat_of(Slot slot, int number) {
  Seat seat = seat_of(slot);
  seat.incarnation.bytes[0] = std::byte{8};
  seat.incarnation.bytes[1] = std::byte(number % 256);
  seat.incarnation.bytes[2] = std::byte(number / 256);
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

  std::optional<Station> at(Callers& callers, Instant now = Instant{}) {
    channel_.write(1, knock_);
    return again_at(callers, now);
  }
  /// The same datagram once more.
  std::optional<Station> again_at(Callers& callers, Instant now) const {
    auto datagram = knock_;
    return callers.take(datagram, now);
  }

 private:
  KnockChannel channel_;
  std::array<std::byte, knock_bytes> knock_{};
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

using std::chrono::seconds;

/// Of a long job, say, whose rank 2 is lost again and again, and whose rank 3 has been replaced once.
TEST(Callers, hear_of_any_number_of_newcomers_one_after_the_other) {
  Callers callers({}, 1, callers_size, callers_cipher);
  KnockingAtOne third(seat_of(3));
  const auto of_third = third.at(callers);
  callers.seat(letter_for(seat_of(3)));
  Instant now{};
  for (int number = 0; number < 3 * Callers::most; ++number) {
    now += seconds{1};
    const Seat seat = seat_of(2, number);
    KnockingAtOne newcomer(seat);
    const auto station = newcomer.at(callers, now);
    ASSERT_TRUE(station) << number;
    ASSERT_LT(*station, callers_size + Callers::most);
    if (number % 2 == 0) continue;  // this one dies before it has the place
    callers.seat(letter_for(seat));
    ASSERT_EQ(callers.station_of(2), *station);
    ASSERT_EQ(callers.slot_of(*station), 2);
  }
  EXPECT_EQ(callers.station_of(3), of_third);
  EXPECT_EQ(third.at(callers, now), of_third) << "it is known still";
  EXPECT_FALSE(callers.take_reused().empty());
  EXPECT_TRUE(callers.take_reused().empty());
}

TEST(Callers, take_no_old_knock_for_that_of_a_newcomer_they_have_forgotten) {
  Callers callers({}, 1, callers_size, callers_cipher);
  KnockingAtOne old(seat_of(3));
  ASSERT_TRUE(old.at(callers));
  const Instant later = Instant{} + seconds{100};
  for (int number = 0; number < Callers::most; ++number)
    ASSERT_TRUE(KnockingAtOne(seat_of(2, number)).at(callers, later)) << number;
  EXPECT_EQ(callers.take_reused(), std::vector<Station>{callers_size});
  EXPECT_FALSE(old.again_at(callers, later + seconds{200}));
}

TEST(Callers, keep_those_that_knock_however_many_come) {
  Callers callers({}, 1, callers_size, callers_cipher);
  for (int number = 0; number < Callers::most; ++number)
    ASSERT_TRUE(KnockingAtOne(seat_of(2, number)).at(callers)) << number;
  EXPECT_FALSE(KnockingAtOne(seat_of(3)).at(callers, Instant{} + seconds{10}));
  EXPECT_TRUE(KnockingAtOne(seat_of(3)).at(callers, Instant{} + seconds{100}));
}

/// A decision counts, whether its newcomer has knocked here or not.
TEST(Callers, give_a_seat_that_is_decided_while_all_others_knock) {
  Callers callers({}, 1, callers_size, callers_cipher);
  for (int number = 0; number < Callers::most; ++number)
    ASSERT_TRUE(KnockingAtOne(seat_of(2, number)).at(callers)) << number;
  callers.seat(letter_for(seat_of(3)));
  EXPECT_EQ(callers.station_of(3), 3);
  EXPECT_EQ(callers.take_reused().size(), 1U);
}

}  // namespace
}  // namespace lbsp::transport
