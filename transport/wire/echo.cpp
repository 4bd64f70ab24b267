#include "transport/wire/echo.hpp"

#include <algorithm>
#include <chrono>

#include "transport/wire/packet_number.hpp"
#include "transport/wire/replay_window.hpp"
#include "transport/wire/rounded.hpp"

namespace lbsp::transport {
namespace {

/// Significant bits, without the first.
constexpr int hold_bits = 11;
constexpr int loss_bits = 4;
constexpr std::size_t number_bytes = 3;
constexpr std::size_t arrival_bytes = 3;

/// 1 and 65,536 units of 1/65535 are the same.
constexpr std::uint8_t all_lost = rounded_to_nearest<loss_bits>(UINT16_MAX);

void write_loss(WireWriter& out, std::uint16_t loss) {
  out.put(static_cast<std::uint8_t>(rounded_to_nearest<loss_bits>(loss)));
}

std::uint16_t loss_of(std::uint8_t code) {
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(from_rounded<loss_bits>(code), UINT16_MAX));
}

/// The number nearest to `near` that has these lowest bits, modulo 2^32.
std::uint32_t nearest(std::uint32_t near, std::uint32_t lower, int bits) {
  const auto above = static_cast<std::int32_t>((lower - near) << (32 - bits));
  return near + static_cast<std::uint32_t>(above >> (32 - bits));
}

}  // namespace

void write(std::span<std::byte, echo_bytes> place, const Echo& echo) {
  WireWriter out(place);
  out.put_low(echo.packets, number_bytes);
  out.put(static_cast<std::uint16_t>(rounded_down<hold_bits>(echo.hold_microseconds)));
  out.put_low(echo.arrival_microseconds, arrival_bytes);
  out.put(static_cast<std::uint16_t>(echo.arrived));
  write_loss(out, echo.loss.loss);
  write_loss(out, echo.loss.loss_after_loss);
}

std::optional<Echo> read_echo(WireReader& in) {
  const auto bytes = in.take(echo_bytes);
  std::optional<Echo> echo(std::in_place);
  if (bytes.empty() || !read(bytes.first<echo_bytes>(), *echo)) echo.reset();
  return echo;
}

bool read(std::span<const std::byte, echo_bytes> bytes, Echo& echo) {
  WireReader in(bytes);
  echo.packets = in.get_low(number_bytes);
  const std::uint64_t hold = from_rounded<hold_bits>(in.get<std::uint16_t>());
  echo.arrival_microseconds = static_cast<std::uint32_t>(in.get_low(arrival_bytes));
  echo.arrived = in.get<std::uint16_t>();
  const auto loss = in.get<std::uint8_t>();
  const auto loss_after_loss = in.get<std::uint8_t>();
  if (hold > UINT32_MAX || loss > all_lost || loss_after_loss > all_lost) return false;
  echo.hold_microseconds = static_cast<std::uint32_t>(hold);
  echo.loss = {loss_of(loss), loss_of(loss_after_loss)};
  return true;
}

void make_whole(Echo& echo, std::uint64_t packets, const EchoBefore& before, Instant now) {
  echo.packets = whole_packet_number(echo.packets % packet_number_window, packets);
  const auto sent = static_cast<std::uint32_t>(echo.packets - packets);
  constexpr std::uint32_t most_late = ReplayWindow::window_packets;
  constexpr std::uint32_t half = 1u << 15;
  echo.arrived = nearest(before.arrived + sent - (half - most_late), echo.arrived, 16);
  if (packets == 0) return;
  const Instant written = now - std::chrono::microseconds{echo.hold_microseconds};
  const auto later = std::chrono::duration_cast<std::chrono::microseconds>(written - before.written).count();
  echo.arrival_microseconds =
      nearest(before.arrival_microseconds + static_cast<std::uint32_t>(later), echo.arrival_microseconds, 24);
}

}  // namespace lbsp::transport
