#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "transport/units.hpp"

/// How much may be on its way without an echo, so that no receiver's buffer overflows when its process does
/// not run for a moment.
namespace lbsp::transport {

/// Datagrams of the usual size in a buffer of the size that lbsp asks the system for.
inline constexpr std::size_t usual_buffer_datagrams = 3600;

/// Datagrams with `datagram_bytes` of payload that a Linux socket holds, by its own account of its buffer
/// (SO_RCVBUF as it is read). The account is of memory, headers and rounding included: 2304 bytes for 1400.
std::size_t datagrams_in_buffer(std::size_t buffer_bytes, std::size_t datagram_bytes);

/// What each of size-1 peers may have on its way to a rank whose buffer holds `buffered` datagrams, beyond
/// what the path holds.
std::uint16_t room_for_each_peer(std::size_t buffered, Rank size);

/// Datagrams that the path itself holds: what is sent at `rate` in the least round-trip time, without the part that
/// the hosts take, during which datagrams are in a buffer already.
double datagrams_on_path(BytesPerSecond rate, Duration least_round_trip, std::size_t datagram_bytes);

/// What one rank may have on its way to one peer without an echo.
class FlightLimit {
 public:
  /// `room`: what the peer is taken to have until it tells.
  explicit FlightLimit(std::uint16_t room) : room_(room) {}

  /// The peer has told its room, and how many datagrams have found its buffer full, modulo 2^32. If these
  /// have become more, part of what was taken to be on the path was in the buffer: half as much will be
  /// taken to be there, at most once for what is on its way together. It grows again by a sixteenth each
  /// second. `sent` and `echoed` are numbers of datagrams.
  void told(std::uint16_t room, std::uint32_t overflowed, std::uint64_t sent, std::uint64_t echoed,
            Instant now);
  /// Nothing was heard for a probe timeout: a few may go on trial.
  void probed(std::uint64_t echoed);

  /// Whether so little is on its way that reached() is false, whatever the path holds.
  bool within_room(std::uint64_t sent, std::uint64_t echoed) const {
    const std::uint64_t counted = std::max(forgotten_, echoed);
    return sent < counted + room_;
  }
  /// Of a path that is hardly known (`known`: see PathEstimate), no more is counted on than the room.
  bool reached(std::uint64_t sent, std::uint64_t echoed, double on_path, bool known) const;

 private:
  std::uint16_t room_;
  double on_path_ = 1;  ///< part of the path's that counts
  std::uint32_t overflowed_ = 0;
  std::uint64_t cut_for_ = 0;    ///< datagrams before this one have had their cut
  std::uint64_t forgotten_ = 0;  ///< datagrams before this one count no more
  Instant changed_{};
};

}  // namespace lbsp::transport
