#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/units.hpp"
#include "transport/wire/byte_order.hpp"

/// What a datagram tells of those that came the other way, from which their sender measures the round trip, the rate
/// and the loss. 12 bytes, since every segment has one:
///        0  u24  1 + the largest packet number received, modulo 2^24; if nothing has arrived, all is 0
///        3  u16  microseconds since that datagram arrived, rounded down to 12 significant bits (rounded.hpp)
///        5  u24  when it arrived: microseconds of the receiver's own clock, modulo 2^24
///        8  u16  how many datagrams have arrived, modulo 2^16
///       10  u8   loss of the datagrams, in units of 1/65535, rounded to 5 significant bits
///       11  u8   loss of those that follow a lost one
namespace lbsp::transport {

inline constexpr std::size_t echo_bytes = 12;

/// What a receiver has measured of the loss of what comes to it: fractions in units of 1/65535.
struct LossReport {
  std::uint16_t loss = 0;             ///< of all datagrams
  std::uint16_t loss_after_loss = 0;  ///< of those that follow a lost one

  friend bool operator==(const LossReport&, const LossReport&) = default;
};

/// What is read has the lower parts of `packets`, `arrival_microseconds` and `arrived`, until make_whole().
struct Echo {
  std::uint64_t packets = 0;  ///< 1 + largest packet number received in its turn (NewestInTurn); 0: none
  std::uint32_t hold_microseconds = 0;
  std::uint32_t arrival_microseconds = 0;  ///< when that came, by the receiver's clock, modulo 2^32
  std::uint32_t arrived = 0;               ///< how many packets have arrived until then, modulo 2^32
  LossReport loss = {};
};

/// What the echo before told.
struct EchoBefore {
  std::uint32_t arrival_microseconds = 0;
  std::uint32_t arrived = 0;
  Instant written{};  ///< when it came, less the time that its datagram was held
};

void write(std::span<std::byte, echo_bytes> place, const Echo& echo);
inline void write(WireWriter& out, const Echo& echo) {
  write(out.take(echo_bytes).first<echo_bytes>(), echo);
}
/// Nothing if it is cut short, or rounded in another way.
std::optional<Echo> read_echo(WireReader& in);
/// The same into `echo`; false if it is none.
bool read(std::span<const std::byte, echo_bytes> bytes, Echo& echo);

/// Makes the numbers of the echo that came `now` whole. Of the one before, `packets` is known, 0 if there was none, and
/// `before`. The number is less than 2^23 away from that; its datagram arrived as long after the other one as these two
/// echoes tell, within 8 seconds; and as many have arrived as were sent in between, but for at most 61,440 that were
/// lost, and 4095 that came late (replay_window.hpp takes no more).
void make_whole(Echo& echo, std::uint64_t packets, const EchoBefore& before, Instant now);

}  // namespace lbsp::transport
