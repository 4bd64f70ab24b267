#include "transport/wire/format.hpp"

#include <algorithm>
#include <utility>

#include "transport/options.hpp"
#include "transport/redundancy.hpp"
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

constexpr std::uint8_t segment_echo = 1;
constexpr std::uint8_t segment_round = 2;
constexpr std::uint8_t segment_of_long_message = 4;
constexpr std::uint8_t segment_shorter = 8;
constexpr std::uint8_t coded_flags = segment_echo | segment_of_long_message;
constexpr std::uint8_t segment_flags = coded_flags | segment_round | segment_shorter;

constexpr std::uint32_t numbers_in_block = 128;
static_assert(most_block_segments == numbers_in_block && most_repair_segments == numbers_in_block,
              "each block of a message of 2^32 segments has a number, and each coded segment of it");

static_assert(job_tag_bits + questions_bits == 16);

/// How many bytes these take in the header of a segment.
template <bool long_message>
struct LengthFields {
  static constexpr std::size_t length = long_message ? 6 : 3;
  static constexpr std::size_t segment = long_message ? 4 : 2;
};

/// Known when it is compiled, which makes single instructions of them.
template <class Use>
void with_lengths(bool long_message, Use use) {
  if (long_message) return use(LengthFields<true>{});
  use(LengthFields<false>{});
}
static_assert(long_message_bytes / (min_datagram_bytes - data_overhead(0, true)) + numbers_in_block <
                  UINT16_MAX,
              "the segments of a message that is not long, and the coded ones, have numbers of 16 bits");

/// Of the lower part of a message's number, its leg.
constexpr unsigned leg_bits = 2;
constexpr unsigned leg_mask = (1u << leg_bits) - 1;
static_assert(legs_of_superstep <= leg_mask + 1);

std::uint16_t lower_part(const MessageId& id) {
  return static_cast<std::uint16_t>((id.superstep << leg_bits) + static_cast<unsigned>(id.leg));
}

/// The message that `lower` may be of. Its leg may be none.
MessageId nearest_message(std::uint16_t lower, std::uint32_t superstep) {
  const auto ahead = static_cast<std::int16_t>(lower - lower_part({superstep, Leg{}}));
  return {superstep + static_cast<std::uint32_t>(ahead >> leg_bits), static_cast<Leg>(lower & leg_mask)};
}

bool is_leg(Leg leg) {
  return static_cast<unsigned>(leg) < legs_of_superstep;
}

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

std::size_t write(std::span<std::byte> place, const SegmentHeader& header) {
  WireWriter out(place);
  const bool is_long = header.total_bytes >= long_message_bytes;
  const std::uint16_t round = header.coded ? std::uint16_t{0} : header.round;
  out.put(static_cast<std::uint8_t>((header.echo ? segment_echo : 0) | (round != 0 ? segment_round : 0) |
                                    (is_long ? segment_of_long_message : 0) |
                                    (header.shorter_by != 0 ? segment_shorter : 0)));
  out.put(lower_part(header.message));
  const std::uint32_t segment =
      header.coded ? header.segment * numbers_in_block + header.round : header.segment;
  with_lengths(is_long, [&](auto fields) {
    out.put_low(header.total_bytes, fields.length);
    out.put_low(segment, fields.segment);
  });
  if (round != 0) out.put(round);
  if (header.shorter_by != 0) out.put_varint(header.shorter_by);
  if (header.echo) write(out, *header.echo);
  return out.written();
}

std::optional<SegmentHeader> read_segment_header(WireReader& in, bool coded, std::uint32_t superstep) {
  std::optional<SegmentHeader> header(std::in_place);
  const std::size_t bytes = read(in.rest(), coded, superstep, *header);
  if (bytes == 0) return std::nullopt;
  in.take(bytes);
  return header;
}

std::size_t read(std::span<const std::byte> body, bool coded, std::uint32_t superstep,
                 SegmentHeader& header) {
  WireReader in(body);
  const auto flags = in.get<std::uint8_t>();
  const auto has = [&](std::uint8_t flag) { return (flags & flag) != 0; };
  if ((flags & ~(coded ? coded_flags : segment_flags)) != 0) return 0;
  header.coded = coded;
  with_lengths(has(segment_of_long_message), [&](auto fields) {
    constexpr std::size_t bytes = 2 + fields.length + fields.segment;
    const auto place = in.take(bytes);
    if (place.empty()) return;
    WireReader fixed(place.template first<bytes>());  // whose length a compiler knows
    header.message = nearest_message(fixed.get<std::uint16_t>(), superstep);
    header.total_bytes = fixed.get_low(fields.length);
    header.segment = static_cast<std::uint32_t>(fixed.get_low(fields.segment));
  });
  if (coded) {
    header.round = static_cast<std::uint16_t>(header.segment % numbers_in_block);
    header.segment /= numbers_in_block;
  }
  if (has(segment_round)) header.round = in.get<std::uint16_t>();
  const std::uint64_t shorter_by = has(segment_shorter) ? in.get_varint() : 0;
  if (has(segment_echo)) {
    const auto echo = in.take(echo_bytes);
    if (echo.empty() || !read(echo.first<echo_bytes>(), header.echo.emplace())) return 0;
  }
  const std::uint64_t segment_bytes = in.rest().size() + shorter_by;
  // There is one form of each header, so what has a flag is not 0, and a message is long or it is not.
  const bool in_vain = (has(segment_round) && header.round == 0) ||
                       has(segment_of_long_message) != (header.total_bytes >= long_message_bytes) ||
                       (has(segment_shorter) && shorter_by == 0);
  if (!in.ok() || in_vain || segment_bytes > UINT16_MAX || !is_leg(header.message.leg)) return 0;
  header.shorter_by = static_cast<std::uint16_t>(shorter_by);
  header.segment_bytes = static_cast<std::uint16_t>(segment_bytes);
  return body.size() - in.rest().size();
}

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
