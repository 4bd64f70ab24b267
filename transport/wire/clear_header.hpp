#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/units.hpp"
#include "transport/wire/byte_order.hpp"

/// What every datagram begins with: format.hpp describes it.
namespace lbsp::transport {

inline constexpr std::uint8_t wire_version = 5;
inline constexpr std::size_t clear_header_bytes = 10;
inline constexpr std::size_t source_offset = 1;       ///< of the sending rank
inline constexpr std::size_t destination_offset = 3;  ///< of the receiving rank
inline constexpr std::size_t packet_number_bytes = 3;
inline constexpr int questions_bits = 6;
inline constexpr std::uint8_t most_questions_before = (1 << questions_bits) - 1;

enum class DatagramKind : std::uint8_t {
  data = 1,
  status = 2,
  ack = 3,
  fin = 4,
  abort = 5,
  coded = 6,
  size = 7,
  view = 8,
  knock = 9,
  seat = 10,
  address = 11
};

/// Nothing is missed if these do not arrive: they ask whether something does.
constexpr bool is_question(DatagramKind kind) {
  return kind == DatagramKind::size || kind == DatagramKind::address;
}

struct ClearHeader {
  DatagramKind kind = DatagramKind::data;
  Rank source = 0;
  Rank destination = 0;
  std::uint16_t job_tag = 0;          ///< below 2^10
  std::uint64_t packet_number = 0;    ///< what is read is its lower part only
  std::uint8_t questions_before = 0;  ///< directly before this datagram (is_question())
};

inline void write(WireWriter& into, const ClearHeader& header) {
  WireWriter out(into.take(clear_header_bytes));
  out.put(static_cast<std::uint8_t>(wire_version << 4 | static_cast<std::uint8_t>(header.kind)));
  out.put(static_cast<std::uint16_t>(header.source));
  out.put(static_cast<std::uint16_t>(header.destination));
  out.put(static_cast<std::uint16_t>(header.job_tag << questions_bits | header.questions_before));
  out.put_low(header.packet_number, packet_number_bytes);
}

/// Names others in a header that is there already.
inline void readdress(std::span<std::byte> datagram, Rank source, Rank destination) {
  WireWriter out(datagram.subspan(source_offset, 2 * sizeof(std::uint16_t)));
  out.put(static_cast<std::uint16_t>(source));
  out.put(static_cast<std::uint16_t>(destination));
}

/// Nothing if it is cut short or holds a value that the format does not have.
inline std::optional<ClearHeader> read_clear_header(std::span<const std::byte> datagram) {
  if (datagram.size() < clear_header_bytes) return std::nullopt;
  WireReader in(datagram.first<clear_header_bytes>());
  const auto version_and_kind = in.get<std::uint8_t>();
  const auto kind = static_cast<std::uint8_t>(version_and_kind & 0x0f);
  ClearHeader header;
  header.source = in.get<std::uint16_t>();
  header.destination = in.get<std::uint16_t>();
  const auto tag_and_questions = in.get<std::uint16_t>();
  header.job_tag = tag_and_questions >> questions_bits;
  header.questions_before = tag_and_questions & most_questions_before;
  header.packet_number = in.get_low(packet_number_bytes);
  const bool known_kind = kind >= static_cast<std::uint8_t>(DatagramKind::data) &&
                          kind <= static_cast<std::uint8_t>(DatagramKind::address);
  if (version_and_kind >> 4 != wire_version || !known_kind) return std::nullopt;
  header.kind = static_cast<DatagramKind>(kind);
  return header;
}

}  // namespace lbsp::transport
