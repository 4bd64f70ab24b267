#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace lbsp::superstep {

/// The message of one rank to another in one superstep, in the machine's byte order (values of user types
/// travel as they lie in memory, so all ranks run the same build anyway):
///
///     MessageHead | records, each starting at a multiple of 16 | log entries, starting at a multiple of 16
///
/// A message starts at a multiple of 16 in memory, so the values of a sent record can be viewed in place.
/// Padding is zero. The log lists what the rank registered and released in this superstep.
static_assert(std::endian::native == std::endian::little, "messages are little-endian");

inline constexpr std::size_t alignment = 16;
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= alignment);

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// "lbs" and the layout's version.
inline constexpr std::uint32_t message_magic = 0x0173626c;
inline constexpr std::uint32_t reply_magic = 0x0172626c;

enum class Ending : std::uint32_t {
  sync = 1,  ///< the superstep ends and another follows
  end = 2,   ///< the program ends
};

struct MessageHead {
  std::uint32_t magic;
  Ending ending;
  std::uint64_t superstep;
  std::uint64_t record_bytes;  ///< with the padding between records, without that after the last
  std::uint32_t log_entries;
  std::uint32_t asks;  ///< 1 if there are gets among the records: the sender waits for a reply
};
static_assert(sizeof(MessageHead) == 32);

enum class RecordKind : std::uint32_t { put = 1, get = 2, send = 3, offer = 4 };

/// A put is followed by its bytes; a get by nothing; a send by the tag, padding to 16, and the values. An offer is a
/// put whose bytes are still the sender's; it is followed by their address there, as Lending::offer() gave it.
struct RecordHead {
  RecordKind kind;
  std::uint32_t slot;
  std::uint64_t bytes;      ///< of data
  std::uint64_t parameter;  ///< put, offer, get: byte offset in the slot's memory; send: bytes of the tag
};
static_assert(sizeof(RecordHead) == 24);

/// A reply holds the bytes of the gets it answers, in their order, without padding. If it has offers, eight bytes stand
/// before those of each get: 0; or the address of memory that the asker fetches, as Lending::offer() gave it, and then
/// the bytes are not there.
struct ReplyHead {
  std::uint32_t magic;
  std::uint32_t has_offers;  ///< 0 or 1
  std::uint64_t superstep;
};
static_assert(sizeof(ReplyHead) == 16);

enum class SlotKind : std::uint32_t { memory = 1, queue = 2 };
enum class LogKind : std::uint32_t {
  registered = 1,
  released = 2,
  agreed = 3,
  tag_size = 4,
  collective = 5,
  graph = 6
};

/// A collective call. All of it must be the same on all ranks, but `bytes` of registered memory.
struct LogEntry {
  LogKind kind;
  SlotKind slot_kind;           ///< registered, released
  std::uint32_t slot;           ///< registered, released; collective: the name's check value
  std::uint32_t element_bytes;  ///< registered, collective: size of an element or of a value
  std::uint64_t parameter;  ///< registered queue, tag_size: bytes of a tag; agreed: the value; collective:
                            ///< root and operation; graph: its digest
  /// Registered memory: how much this rank has, or absent_bytes; collective: of the values; graph: its tokens.
  std::uint64_t bytes;
};
static_assert(sizeof(LogEntry) == 32);

/// The tag size of a queue whose tags may have any size.
inline constexpr std::uint64_t any_tag = ~std::uint64_t{0};

/// "This rank registers no memory of its own here", which is not the same as memory of no bytes.
inline constexpr std::uint64_t absent_bytes = ~std::uint64_t{0};

/// Released: "the one that the other ranks release here, of which this rank has no memory".
inline constexpr std::uint32_t absent_slot = ~std::uint32_t{0};

}  // namespace lbsp::superstep
