#include "transport/wire/format.hpp"

#include <algorithm>
#include <utility>

#include "transport/redundancy.hpp"

namespace lbsp::transport {
namespace {

constexpr std::uint8_t entry_complete = 1;
constexpr std::uint8_t entry_rest_missing = 2;
constexpr std::uint8_t entry_prefix_complete = 4;
constexpr std::uint8_t entry_of_block = 8;
constexpr std::uint8_t entry_flags =
    entry_complete | entry_rest_missing | entry_prefix_complete | entry_of_block;

constexpr Duration reordering_unit = std::chrono::microseconds{8};

constexpr std::uint8_t status_partial = 1;
constexpr std::uint8_t status_begun = 2;
constexpr std::uint8_t status_moving = 4;
constexpr std::uint8_t status_flags = status_partial | status_begun | status_moving;

constexpr std::uint8_t segment_of_replies = 1;
constexpr std::uint8_t segment_echo = 2;
constexpr std::uint8_t segment_round = 4;
constexpr std::uint8_t segment_of_long_message = 8;
constexpr std::uint8_t segment_shorter = 16;
constexpr std::uint8_t coded_flags = segment_of_replies | segment_echo | segment_of_long_message;
constexpr std::uint8_t segment_flags = coded_flags | segment_round | segment_shorter;

constexpr std::uint32_t numbers_in_block = 128;
static_assert(most_block_segments == numbers_in_block && most_repair_segments == numbers_in_block,
              "each block of a message of 2^32 segments has a number, and each coded segment of it");

constexpr std::size_t packet_number_bytes = 3;

void write_id(WireWriter& out, const MessageId& id) {
  out.put(id.superstep);
  out.put(static_cast<std::uint8_t>(id.leg));
}

std::optional<MessageId> read_id(WireReader& in) {
  const auto superstep = in.get<std::uint32_t>();
  const auto leg = in.get<std::uint8_t>();
  if (!in.ok() || leg > 1) return std::nullopt;
  return MessageId{superstep, static_cast<Leg>(leg)};
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

void write(WireWriter& out, const ClearHeader& header) {
  out.put(static_cast<std::uint8_t>(wire_version << 4 | static_cast<std::uint8_t>(header.kind)));
  out.put(header.questions_before);
  out.put(static_cast<std::uint16_t>(header.source));
  out.put(static_cast<std::uint16_t>(header.destination));
  out.put(header.job_tag);
  out.put_low(header.packet_number, packet_number_bytes);
}

std::optional<ClearHeader> read_clear_header(std::span<const std::byte> datagram) {
  WireReader in(datagram);
  const auto version_and_kind = in.get<std::uint8_t>();
  const auto kind = static_cast<std::uint8_t>(version_and_kind & 0x0f);
  ClearHeader header;
  header.questions_before = in.get<std::uint8_t>();
  header.source = in.get<std::uint16_t>();
  header.destination = in.get<std::uint16_t>();
  header.job_tag = in.get<std::uint16_t>();
  header.packet_number = in.get_low(packet_number_bytes);
  const bool known_kind = kind >= static_cast<std::uint8_t>(DatagramKind::data) &&
                          kind <= static_cast<std::uint8_t>(DatagramKind::view);
  if (!in.ok() || version_and_kind >> 4 != wire_version || !known_kind) return std::nullopt;
  header.kind = static_cast<DatagramKind>(kind);
  return header;
}

void write(WireWriter& out, const Echo& echo) {
  out.put(static_cast<std::uint32_t>(echo.packets));
  out.put(echo.hold_microseconds);
  out.put(echo.arrival_microseconds);
  out.put(echo.arrived);
  out.put(echo.loss.loss);
  out.put(echo.loss.loss_after_loss);
}

std::optional<Echo> read_echo(WireReader& in) {
  Echo echo;
  echo.packets = in.get<std::uint32_t>();
  echo.hold_microseconds = in.get<std::uint32_t>();
  echo.arrival_microseconds = in.get<std::uint32_t>();
  echo.arrived = in.get<std::uint32_t>();
  echo.loss.loss = in.get<std::uint16_t>();
  echo.loss.loss_after_loss = in.get<std::uint16_t>();
  if (!in.ok()) return std::nullopt;
  return echo;
}

void write(WireWriter& out, const SegmentHeader& header) {
  const auto high = static_cast<std::uint32_t>(header.total_bytes >> 32);
  const std::uint16_t round = header.coded ? std::uint16_t{0} : header.round;
  out.put(static_cast<std::uint8_t>((header.message.leg == Leg::replies ? segment_of_replies : 0) |
                                    (header.echo ? segment_echo : 0) | (round != 0 ? segment_round : 0) |
                                    (high != 0 ? segment_of_long_message : 0) |
                                    (header.shorter_by != 0 ? segment_shorter : 0)));
  out.put(header.message.superstep);
  out.put(static_cast<std::uint32_t>(header.total_bytes));
  out.put(header.coded ? header.segment * numbers_in_block + header.round : header.segment);
  if (round != 0) out.put(round);
  if (high != 0) out.put(high);
  if (header.shorter_by != 0) out.put_varint(header.shorter_by);
  if (header.echo) write(out, *header.echo);
}

std::optional<SegmentHeader> read_segment_header(WireReader& in, bool coded) {
  const auto flags = in.get<std::uint8_t>();
  const auto has = [&](std::uint8_t flag) { return (flags & flag) != 0; };
  if ((flags & ~(coded ? coded_flags : segment_flags)) != 0) return std::nullopt;
  SegmentHeader header;
  header.coded = coded;
  header.message = {in.get<std::uint32_t>(), has(segment_of_replies) ? Leg::replies : Leg::messages};
  header.total_bytes = in.get<std::uint32_t>();
  header.segment = in.get<std::uint32_t>();
  if (coded) {
    header.round = static_cast<std::uint16_t>(header.segment % numbers_in_block);
    header.segment /= numbers_in_block;
  }
  if (has(segment_round)) header.round = in.get<std::uint16_t>();
  const std::uint64_t high = has(segment_of_long_message) ? in.get<std::uint32_t>() : 0;
  const std::uint64_t shorter_by = has(segment_shorter) ? in.get_varint() : 0;
  if (has(segment_echo)) header.echo = read_echo(in);
  const std::uint64_t segment_bytes = in.rest().size() + shorter_by;
  // What has a flag is not 0, so that there is one form of each header.
  const bool in_vain = (has(segment_round) && header.round == 0) ||
                       (has(segment_of_long_message) && high == 0) ||
                       (has(segment_shorter) && shorter_by == 0);
  if (!in.ok() || in_vain || segment_bytes > UINT16_MAX) return std::nullopt;
  header.total_bytes |= high << 32;
  header.shorter_by = static_cast<std::uint16_t>(shorter_by);
  header.segment_bytes = static_cast<std::uint16_t>(segment_bytes);
  return header;
}

void write(WireWriter& out, const StatusHeader& header) {
  write(out, header.echo);
  write_id(out, header.position);
  out.put(static_cast<std::uint8_t>((header.partial ? status_partial : 0) |
                                    (header.begun ? status_begun : 0) | (header.moving ? status_moving : 0)));
  out.put(header.room);
  out.put(header.overflowed);
  out.put(static_cast<std::uint16_t>(
      std::clamp<Duration::rep>(header.reordering / reordering_unit, 0, UINT16_MAX)));
}

std::optional<StatusHeader> read_status_header(WireReader& in) {
  const auto echo = read_echo(in);
  const auto position = read_id(in);
  const auto flags = in.get<std::uint8_t>();
  const auto room = in.get<std::uint16_t>();
  const auto overflowed = in.get<std::uint32_t>();
  const auto reordering = in.get<std::uint16_t>();
  if (!in.ok() || !echo || !position || (flags & ~status_flags) != 0) return std::nullopt;
  return StatusHeader{*echo,
                      *position,
                      (flags & status_partial) != 0,
                      (flags & status_begun) != 0,
                      (flags & status_moving) != 0,
                      room,
                      overflowed,
                      reordering * reordering_unit};
}

void write(WireWriter& out, const StatusEntry& entry) {
  write_id(out, entry.message);
  out.put(static_cast<std::uint8_t>(
      (entry.complete ? entry_complete : 0) | (entry.rest_missing ? entry_rest_missing : 0) |
      (entry.prefix_complete ? entry_prefix_complete : 0) | (entry.of_block ? entry_of_block : 0)));
  out.put(entry.first);
  out.put(entry.bits);
  out.put(entry.segment_bytes);
  if (!entry.of_block) out.put(entry.bitmap);
}

std::optional<StatusEntry> read_status_entry(WireReader& in) {
  const auto id = read_id(in);
  const auto flags = in.get<std::uint8_t>();
  StatusEntry entry;
  entry.first = in.get<std::uint32_t>();
  entry.bits = in.get<std::uint16_t>();
  entry.segment_bytes = in.get<std::uint16_t>();
  entry.of_block = (flags & entry_of_block) != 0;
  if (!entry.of_block) entry.bitmap = in.take((entry.bits + 7u) / 8u);
  if (!in.ok() || !id || (flags & ~entry_flags) != 0) return std::nullopt;
  entry.message = *id;
  entry.complete = (flags & entry_complete) != 0;
  entry.rest_missing = (flags & entry_rest_missing) != 0;
  entry.prefix_complete = (flags & entry_prefix_complete) != 0;
  return entry;
}

void write(WireWriter& out, const SegmentAck& ack) {
  write(out, ack.echo);
  write_id(out, ack.message);
  out.put(std::uint8_t{0});
  out.put(ack.round);
  out.put(ack.segment);
}

std::optional<SegmentAck> read_segment_ack(WireReader& in) {
  const auto echo = read_echo(in);
  const auto id = read_id(in);
  const auto zero = in.get<std::uint8_t>();
  const auto round = in.get<std::uint16_t>();
  const auto segment = in.get<std::uint32_t>();
  if (!in.ok() || !echo || !id || zero != 0) return std::nullopt;
  return SegmentAck{*echo, *id, round, segment};
}

void write(WireWriter& out, const SizeHeader& header) {
  write(out, header.echo);
  out.put(static_cast<std::uint8_t>(header.answer ? 1 : 0));
  out.put(std::uint8_t{0});
  out.put(header.datagram_bytes);
}

std::optional<SizeHeader> read_size_header(WireReader& in) {
  const auto echo = read_echo(in);
  const auto answer = in.get<std::uint8_t>();
  const auto zero = in.get<std::uint8_t>();
  const auto bytes = in.get<std::uint16_t>();
  if (!in.ok() || !echo || answer > 1 || zero != 0) return std::nullopt;
  return SizeHeader{*echo, answer == 1, bytes};
}

void write(WireWriter& out, const FinHeader& header) {
  write(out, header.echo);
  out.put(static_cast<std::uint8_t>(header.heard ? 1 : 0));
}

std::optional<FinHeader> read_fin_header(WireReader& in) {
  const auto echo = read_echo(in);
  const auto heard = in.get<std::uint8_t>();
  if (!in.ok() || !echo || heard > 1) return std::nullopt;
  return FinHeader{*echo, heard == 1};
}

void write(WireWriter& out, const AbortNotice& notice) {
  out.put(static_cast<std::uint8_t>(notice.reason));
  out.put(std::uint8_t{0});
  out.put(static_cast<std::uint16_t>(notice.subject));
  out.put(notice.superstep);
  out.put(notice.silent_milliseconds);
  out.put(as_bytes(std::string_view(notice.text).substr(0, abort_text_bytes)));
}

std::optional<AbortNotice> read_abort_notice(WireReader& in) {
  const auto reason = in.get<std::uint8_t>();
  const auto zero = in.get<std::uint8_t>();
  AbortNotice notice;
  notice.subject = in.get<std::uint16_t>();
  notice.superstep = in.get<std::uint32_t>();
  notice.silent_milliseconds = in.get<std::uint32_t>();
  const bool known = reason >= static_cast<std::uint8_t>(AbortReason::program) &&
                     reason <= static_cast<std::uint8_t>(AbortReason::cut_off);
  if (!in.ok() || zero != 0 || !known) return std::nullopt;
  notice.reason = static_cast<AbortReason>(reason);
  const auto text = in.take(std::min(in.rest().size(), abort_text_bytes));
  notice.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return notice;
}

}  // namespace lbsp::transport
