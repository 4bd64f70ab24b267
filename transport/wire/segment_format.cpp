// The headers of segments and of coded segments.
#include <utility>

#include "transport/options.hpp"
#include "transport/redundancy.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

constexpr std::uint8_t segment_echo = 1;
constexpr std::uint8_t segment_round = 2;
constexpr std::uint8_t segment_of_long_message = 4;
constexpr std::uint8_t segment_shorter = 8;
constexpr std::uint8_t coded_flags = segment_echo | segment_of_long_message;
constexpr std::uint8_t segment_flags = coded_flags | segment_round | segment_shorter;

constexpr std::uint32_t numbers_in_block = 128;
static_assert(most_block_segments == numbers_in_block && most_repair_segments == numbers_in_block,
              "each block of a message of 2^32 segments has a number, and each coded segment of it");

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

}  // namespace lbsp::transport
