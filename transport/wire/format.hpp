#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "transport/units.hpp"
#include "transport/wire/byte_order.hpp"
#include "transport/wire/clear_header.hpp"
#include "transport/wire/echo.hpp"
#include "transport/wire/message_id.hpp"

/// The wire format, version 5: every field's width and order. All integers are unsigned and little-endian, but
/// for "varint", that of RFC 9000, section 16, in its shortest form.
///
///     clear header, 10 bytes, authenticated but readable
///        0  u8   version (high 4 bits), kind (low 4 bits)
///        1  u16  sending rank; where ranks may be lost, the one that it had at first (its slot: LastingEndpoint)
///        3  u16  receiving rank, likewise
///        5  u16  job tag (high 10 bits): drops most of other jobs' datagrams before any cryptography · how many of
///                the datagrams just before it, by their numbers, were questions of SIZE or ADDRESS (low 6 bits), 63
///                at most: if they do not arrive, that is no loss of the path
///        7  u24  the lower part of the packet number: from 0, new for every transmission from this rank to that one.
///                The whole number (packet_number.hpp) is the nonce, so it is authenticated too
///     sealed body, by kind (below)
///     16 bytes  authentication tag
///
///     DATA    0 u8 flags (1: an echo; 2: a round; 4: a long message, of 2^23 bytes or more; 8: a segment that is
///             shorter than the others) · 1 u16 4 x the superstep + the leg, modulo 2^16 · then, of a message that
///             is not long, 3 u24 its length · 6 u16 segment; of a long one, 3 u48 its length · 9 u32 segment · then,
///             each if its flag is set: u16 round, not 0 (round recovery) · varint bytes that this segment has less
///             than the others, not 0 · echo, 12 bytes (echo.hpp) · then the segment, to the end. All segments of a
///             message but the last have as many bytes, which the header does not tell; an empty message has one
///             empty segment
///     CODED   likewise, but neither shorter nor in a round, and 128 x the block + the number of the coded
///             segment within it in place of the segment (messages/block_layout.hpp; receiver-driven recovery only)
///
/// The bodies of STATUS, ACK, SIZE and FIN begin with an echo:
///     STATUS  12 u32 superstep · 16 u8 leg: all messages before this one have arrived · 17 u8 flags (1:
///             one of several datagrams of one report; 2: the sender's program has begun that leg; 4: since
///             its last report, something of the sender's own went out or arrived for the first time, to
///             whomever; 8: it grants a rate; 16: it tells of marks) · 18 u16 datagrams that the receiver may have
///             on their way to the sender, beyond what the path holds: its share of the sender's receive buffer ·
///             20 u32 datagrams that have found that buffer full, modulo 2^32 · 24 u16 for how long datagrams have
///             been late that others had overtaken, in units of 8 µs (saturating); 0: none was lately · if it grants
///             a rate, u16 what the receiver may send to the sender from now on, in units of 64 bytes a second,
///             rounded down to 12 significant bits (rounded.hpp), not 0; otherwise as much as it likes · if it tells
///             of marks, u16 how many of the receiver's datagrams came with CE in their IP header (RFC 3168), modulo
///             2^15 (low 15 bits) · whether one came that could not have been marked so, with neither CE nor ECT(0)
///             (high bit) · then entries. Every message begun, from there on, has an entry with a bitmap;
///             before it stands one entry for each of its blocks that has coded segments and
///             is not complete. If the report is one datagram, nothing has arrived of a message without an
///             entry
///              0 u32 superstep · 4 u8 leg · 5 u8 flags (1: all has arrived; 2: every segment after the
///              bitmap is missing; 4: every segment before it has arrived; 8: the entry is of a block) ·
///              6 u32 first segment of the bitmap, or the block · 10 u16 bits of the bitmap, or coded
///              segments that have arrived · 12 u16 bytes per segment, of the segments that it tells of ·
///              14 … bitmap; bit i of byte i/8 is set if segment first+i has arrived
///             A sender may cut an unfinished message anew into segments of fewer bytes, for a path that does
///             not carry the others: its receiver forgets what came, and takes no more of the longer ones
///     ACK     12 u32 superstep · 16 u8 leg · 17 u8 0 · 18 u16 round · 20 u32 segment (round recovery only)
///     SIZE    12 u8 0: a question, whether a datagram of this length arrives; 1: the answer that one did · 13 u8 0
///             · 14 u16 its length: all bytes of UDP payload · then zeros up to that length in a question
///     ADDRESS no echo: 0 u8 0: a question, whether the receiver is where it goes; 1: the answer that it is · 1 u32 the
///             question's number, of the sender's choice
///     VIEW    no echo: 0 … a view of the members (membership/view_format.hpp). It is sealed under a key of its own and
///             counted by itself, so that one epoch's views can be read while the next epoch is under way
///     KNOCK   a new process for a lost one's slot asks for it; SEAT: it has got it (both: membership/knock.hpp). Part
///             of them is readable, and the keys are others. Only in jobs in which new processes take lost ones' slots
///     FIN     12 u8 1: the receiver's FIN has arrived, else 0. The sender needs nothing of the receiver,
///             and knows that the receiver needs nothing of it
///     ABORT   0 u8 reason · 1 u8 0 · 2 u16 rank concerned · 4 u32 superstep · 8 u32 milliseconds of
///             silence · 12 … text, UTF-8
namespace lbsp::transport {

inline constexpr std::size_t tag_bytes = 16;
/// Of a whole segment, if it has no more than it must.
inline constexpr std::size_t segment_header_bytes = 8;
inline constexpr std::size_t status_header_bytes = echo_bytes + 14;  ///< without what it need not have
inline constexpr std::size_t mark_report_bytes = 2;
inline constexpr std::size_t grant_bytes = 2;
inline constexpr std::size_t status_entry_bytes = 14;
inline constexpr std::size_t size_header_bytes = echo_bytes + 4;
/// A message of so many bytes or more is long: its length, and the numbers of its segments, take more room.
inline constexpr std::uint64_t long_message_bytes = std::uint64_t{1} << 23;
inline constexpr std::size_t long_message_header_bytes = 5;
/// The longest text of an ABORT that is read. It is cut to what the datagram may be long.
inline constexpr std::size_t abort_text_bytes = 1000;
inline constexpr std::size_t abort_header_bytes = 12;
/// What a datagram carries besides a whole segment, if it has an echo, as lbsp's own have.
inline constexpr std::size_t data_overhead_bytes =
    clear_header_bytes + segment_header_bytes + echo_bytes + tag_bytes;
/// … of a message of so many bytes. `in_round`: the segment is of one of the paper's rounds.
constexpr std::size_t data_overhead(std::uint64_t total_bytes, bool in_round) {
  return data_overhead_bytes + (total_bytes >= long_message_bytes ? long_message_header_bytes : 0) +
         (in_round ? 2 : 0);
}
inline constexpr Rank max_ranks = 65535;

/// The header of a segment or of a coded segment. In the latter `round` is its number within the block, and
/// `segment` the block.
struct SegmentHeader {
  std::optional<Echo> echo;
  MessageId message;
  std::uint16_t round = 0;
  std::uint64_t total_bytes = 0;
  std::uint32_t segment = 0;
  std::uint16_t segment_bytes = 0;  ///< of all segments but the last
  std::uint16_t shorter_by = 0;     ///< so many bytes this one has less
  bool coded = false;
};

/// How long a datagram with a whole segment of this one's message is, if it has an echo.
constexpr std::size_t whole_datagram_bytes(const SegmentHeader& header) {
  const bool in_round = !header.coded && header.round != 0;
  return header.segment_bytes + data_overhead(header.total_bytes, in_round);
}

/// What a rank has seen of its peer's datagrams, as routers have left them (paths/mark_count.hpp).
struct MarkReport {
  std::uint16_t marked = 0;  ///< how many came marked, modulo mark_report_window
  bool bare = false;         ///< one has come that no router could have marked

  friend bool operator==(const MarkReport&, const MarkReport&) = default;
};
inline constexpr std::uint16_t mark_report_window = 1u << 15;

struct StatusHeader {
  Echo echo;
  MessageId position;
  bool partial = false;  ///< other datagrams carry the rest of this report
  bool begun = false;    ///< the sender's program has begun the leg at `position`
  bool moving = false;   ///< since its last report, something of the sender's got on, to whomever
  /// Datagrams that the receiver of this report may have on their way to its sender, beyond what the path
  /// holds.
  std::uint16_t room = 0;
  std::uint32_t overflowed = 0;  ///< datagrams that have found that buffer full, modulo 2^32
  Duration reordering{0};  ///< how late datagrams may be that others have overtaken; sent in units of 8 µs
  /// What the receiver of this report may send to its sender; nullopt: as much as it likes.
  std::optional<BytesPerSecond> granted = {};
  std::optional<MarkReport> marks = {};
};

/// How long the header of a report is.
constexpr std::size_t bytes_of(const StatusHeader& header) {
  return status_header_bytes + (header.granted ? grant_bytes : 0) + (header.marks ? mark_report_bytes : 0);
}

struct StatusEntry {
  MessageId message;
  bool complete = false;
  bool rest_missing = false;
  bool prefix_complete = false;
  std::uint32_t first = 0;
  std::uint16_t bits = 0;
  std::span<const std::byte> bitmap = {};
  bool of_block = false;  ///< then `first` is the block, `bits` the coded segments of it that have arrived
  std::uint16_t segment_bytes = 0;  ///< of the segments that the entry tells of

  bool has(std::uint16_t bit) const {
    return (static_cast<unsigned>(bitmap[bit / 8]) >> (bit % 8) & 1u) != 0;
  }
};

struct SegmentAck {
  Echo echo;
  MessageId message;
  std::uint16_t round = 0;
  std::uint32_t segment = 0;
};

struct SizeHeader {
  Echo echo;
  bool answer = false;
  std::uint16_t datagram_bytes = 0;
};

/// A question whether datagrams arrive at an address, or the answer to it.
struct AddressHeader {
  bool answer = false;
  std::uint32_t number = 0;  ///< of the question, which the answer repeats
};

struct FinHeader {
  Echo echo;
  bool heard = false;  ///< the receiver's FIN has arrived
};

enum class AbortReason : std::uint8_t {
  program = 1,
  peer_lost = 2,
  out_of_memory = 3,
  no_progress = 4,
  never_heard = 5,  ///< no datagram of the subject has ever come
  cut_off = 6,      ///< the subject, which says so itself, hears none of the others
};

struct AbortNotice {
  AbortReason reason = AbortReason::program;
  Rank subject = 0;  ///< who aborted, who is silent, or who is cut off
  std::uint32_t superstep = 0;
  std::uint32_t silent_milliseconds = 0;
  std::string text;
  bool tells_cause = false;  ///< the text ends, after "; ", with the cause and what to do about it
};

/// Returns how many bytes it takes.
std::size_t write(std::span<std::byte> place, const SegmentHeader& header);
inline void write(WireWriter& out, const SegmentHeader& header) {
  out.skip(write(out.rest(), header));
}
void write(WireWriter& out, const StatusHeader& header);
void write(WireWriter& out, const StatusEntry& entry);
void write(WireWriter& out, const SegmentAck& ack);
void write(WireWriter& out, const SizeHeader& header);
void write(WireWriter& out, const AddressHeader& header);
void write(WireWriter& out, const FinHeader& header);
void write(WireWriter& out, const AbortNotice& notice);

/// Each reads one structure. Returns nothing if it is cut short or holds a value that the format does not
/// have. The receiver checks whether the values make sense to it (its rank, its superstep).
/// What is left is the segment. Its superstep is the nearest to `superstep` that it may be of: less than 2^13 away.
std::optional<SegmentHeader> read_segment_header(WireReader& in, bool coded, std::uint32_t superstep);
/// The same into `header`. Returns how many bytes it takes; 0 if there is none.
std::size_t read(std::span<const std::byte> body, bool coded, std::uint32_t superstep, SegmentHeader& header);
std::optional<StatusHeader> read_status_header(WireReader& in);
std::optional<StatusEntry> read_status_entry(WireReader& in);
std::optional<SegmentAck> read_segment_ack(WireReader& in);
std::optional<SizeHeader> read_size_header(WireReader& in);
std::optional<AddressHeader> read_address_header(WireReader& in);
std::optional<FinHeader> read_fin_header(WireReader& in);
std::optional<AbortNotice> read_abort_notice(WireReader& in);

}  // namespace lbsp::transport
