#include "transport/wire/format.hpp"

#include <algorithm>
#include <utility>

#include "transport/wire/rounded.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {
namespace {

constexpr std::uint8_t entry_complete = 1;
constexpr std::uint8_t entry_rest_missing = 2;
constexpr std::uint8_t entry_prefix_complete = 4;
constexpr std::uint8_t entry_of_block = 8;
constexpr std::uint8_t entry_flags =
    entry_complete | entry_rest_missing | entry_prefix_complete | entry_of_block;

constexpr Duration reordering_unit = std::chrono::microseconds{8};

constexpr double grant_unit = 64;  // bytes a second
constexpr int grant_bits = 11;     // significant, without the first
constexpr std::uint64_t most_grant = UINT32_MAX;

constexpr std::uint8_t status_partial = 1;
constexpr std::uint8_t status_begun = 2;
constexpr std::uint8_t status_moving = 4;
constexpr std::uint8_t status_grants = 8;
constexpr std::uint8_t status_marks = 16;
constexpr std::uint8_t status_flags =
    status_partial | status_begun | status_moving | status_grants | status_marks;

static_assert(job_tag_bits + questions_bits == 16);

void write_id(WireWriter& out, const MessageId& id) {
  out.put(id.superstep);
  out.put(static_cast<std::uint8_t>(id.leg));
}

std::optional<MessageId> read_id(WireReader& in) {
  const auto superstep = in.get<std::uint32_t>();
  const auto leg = in.get<std::uint8_t>();
  if (!in.ok() || !is_leg(static_cast<Leg>(leg))) return std::nullopt;
  return MessageId{superstep, static_cast<Leg>(leg)};
}

void write(WireWriter& out, const MarkReport& marks) {
  const unsigned marked = marks.marked % mark_report_window;
  out.put(static_cast<std::uint16_t>(marked | (marks.bare ? unsigned{mark_report_window} : 0)));
}

MarkReport read_marks(WireReader& in) {
  const auto value = in.get<std::uint16_t>();
  return {static_cast<std::uint16_t>(value % mark_report_window), value >= mark_report_window};
}

std::uint16_t grant_code(BytesPerSecond rate) {
  const double units = std::clamp(rate.value / grant_unit, 1.0, static_cast<double>(most_grant));
  return static_cast<std::uint16_t>(rounded_down<grant_bits>(static_cast<std::uint64_t>(units)));
}

/// Nothing for a rate of 0, or above the most.
std::optional<BytesPerSecond> read_grant(WireReader& in) {
  const auto code = in.get<std::uint16_t>();
  if (code == 0 || code > rounded_down<grant_bits>(most_grant)) return std::nullopt;
  return BytesPerSecond{grant_unit * static_cast<double>(from_rounded<grant_bits>(code))};
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

void write(WireWriter& out, const StatusHeader& header) {
  write(out, header.echo);
  write_id(out, header.position);
  out.put(static_cast<std::uint8_t>((header.partial ? status_partial : 0) |
                                    (header.begun ? status_begun : 0) | (header.moving ? status_moving : 0) |
                                    (header.granted ? status_grants : 0) |
                                    (header.marks ? status_marks : 0)));
  out.put(header.room);
  out.put(header.overflowed);
  out.put(static_cast<std::uint16_t>(
      std::clamp<Duration::rep>(header.reordering / reordering_unit, 0, UINT16_MAX)));
  if (header.granted) out.put(grant_code(*header.granted));
  if (header.marks) write(out, *header.marks);
}

std::optional<StatusHeader> read_status_header(WireReader& in) {
  const auto echo = read_echo(in);
  const auto position = read_id(in);
  const auto flags = in.get<std::uint8_t>();
  const auto room = in.get<std::uint16_t>();
  const auto overflowed = in.get<std::uint32_t>();
  const auto reordering = in.get<std::uint16_t>();
  const bool grants = (flags & status_grants) != 0;
  const auto granted = grants ? read_grant(in) : std::nullopt;
  const auto marks = (flags & status_marks) != 0 ? std::optional(read_marks(in)) : std::nullopt;
  if (!in.ok() || !echo || !position || (flags & ~status_flags) != 0 || grants != granted.has_value())
    return std::nullopt;
  return StatusHeader{*echo,
                      *position,
                      (flags & status_partial) != 0,
                      (flags & status_begun) != 0,
                      (flags & status_moving) != 0,
                      room,
                      overflowed,
                      reordering * reordering_unit,
                      granted,
                      marks};
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

void write(WireWriter& out, const AddressHeader& header) {
  out.put(static_cast<std::uint8_t>(header.answer ? 1 : 0));
  out.put(header.number);
}

std::optional<AddressHeader> read_address_header(WireReader& in) {
  const auto answer = in.get<std::uint8_t>();
  const auto number = in.get<std::uint32_t>();
  if (!in.ok() || answer > 1) return std::nullopt;
  return AddressHeader{answer == 1, number};
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
  out.put(std::uint8_t{notice.tells_cause});
  out.put(static_cast<std::uint16_t>(notice.subject));
  out.put(notice.superstep);
  out.put(notice.silent_milliseconds);
  out.put(as_bytes(std::string_view(notice.text).substr(0, abort_text_bytes)));
}

std::optional<AbortNotice> read_abort_notice(WireReader& in) {
  const auto reason = in.get<std::uint8_t>();
  const auto tells_cause = in.get<std::uint8_t>();
  AbortNotice notice;
  notice.subject = in.get<std::uint16_t>();
  notice.superstep = in.get<std::uint32_t>();
  notice.silent_milliseconds = in.get<std::uint32_t>();
  const bool known = reason >= static_cast<std::uint8_t>(AbortReason::program) &&
                     reason <= static_cast<std::uint8_t>(AbortReason::cut_off);
  if (!in.ok() || tells_cause > 1 || !known) return std::nullopt;
  notice.reason = static_cast<AbortReason>(reason);
  notice.tells_cause = tells_cause == 1;
  const auto text = in.take(std::min(in.rest().size(), abort_text_bytes));
  notice.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return notice;
}

}  // namespace lbsp::transport
