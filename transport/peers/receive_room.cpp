#include "transport/peers/receive_room.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace lbsp::transport {
namespace {

/// Of Linux, for a datagram: IP and UDP headers and the room before them, what stands behind the bytes
/// (skb_shared_info), and the record of the whole (sk_buff); the bytes are rounded up to a power of two.
constexpr std::size_t header_bytes = 44;
constexpr std::size_t trailer_bytes = 320;
constexpr std::size_t record_bytes = 256;

/// Of a buffer, for senders to count on: Linux gives a quarter back late, and reports use it too.
constexpr double usable = 0.7;
/// No sender needs more to ride out a late thread.
constexpr std::size_t most_room = 2048;
/// Of all peers, at least so many are expected to send at the same time, and not all: each has its turn.
constexpr std::size_t least_senders = 8;
constexpr std::size_t least_room_of_large_buffers = 64;

constexpr std::uint64_t datagrams_per_probe = 4;
constexpr double growth_of_flight = 1.0 / 16;
constexpr Duration between_growths_of_flight = std::chrono::seconds{1};

/// A busy host takes so long to run the process that answers; what is sent meanwhile waits in its buffer.
constexpr Duration time_in_hosts = std::chrono::milliseconds{5};

}  // namespace

std::size_t datagrams_in_buffer(std::size_t buffer_bytes, std::size_t datagram_bytes) {
  return buffer_bytes / (std::bit_ceil(datagram_bytes + header_bytes + trailer_bytes) + record_bytes);
}

std::uint16_t room_for_each_peer(std::size_t buffered, Rank size) {
  const auto peers = static_cast<std::size_t>(std::max(size - 1, 1));
  const std::size_t room =
      std::min(static_cast<std::size_t>(usable * static_cast<double>(buffered)), most_room);
  const std::size_t least = std::clamp<std::size_t>(room / least_senders, 1, least_room_of_large_buffers);
  return static_cast<std::uint16_t>(std::max(room / peers, least));
}

double datagrams_on_path(BytesPerSecond rate, Duration least_round_trip, std::size_t datagram_bytes) {
  const std::chrono::duration<double> on_path = std::max(least_round_trip - time_in_hosts, Duration{0});
  return rate.value * on_path.count() / static_cast<double>(datagram_bytes);
}

void FlightLimit::told(std::uint16_t room, std::uint32_t overflowed, std::uint64_t sent, std::uint64_t echoed,
                       Instant now) {
  room_ = std::max<std::uint16_t>(room, 1);
  const bool more = std::exchange(overflowed_, overflowed) != overflowed;
  if (more && echoed >= cut_for_) {
    on_path_ /= 2;
    cut_for_ = sent;
    changed_ = now;
  } else if (!more && now - changed_ >= between_growths_of_flight) {
    on_path_ = std::min(1.0, on_path_ + growth_of_flight);
    changed_ = now;
  }
}

void FlightLimit::probed(std::uint64_t echoed) {
  forgotten_ = std::max(forgotten_, echoed) + datagrams_per_probe;
}

bool FlightLimit::reached(std::uint64_t sent, std::uint64_t echoed, double on_path, bool known) const {
  const std::uint64_t counted = std::max(forgotten_, echoed);
  const double limit = room_ + std::min(on_path_ * on_path, known ? 1e12 : room_);
  return sent >= counted && static_cast<double>(sent - counted) >= limit;
}

}  // namespace lbsp::transport
