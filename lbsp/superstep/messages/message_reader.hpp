#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lbsp/superstep/messages/layout.hpp"
#include "transport/units.hpp"

namespace lbsp::superstep {

/// The source and the superstep of the message that is being read, for the text of errors.
struct Origin {
  Rank source;
  std::uint64_t superstep;
};

/// Throws Error, which says that no rank of this build writes such a message.
[[noreturn]] void throw_malformed(const Origin& origin, std::string_view what);

/// A record, its data still in the message.
struct Record {
  RecordKind kind;
  std::uint32_t slot;
  std::uint64_t offset;   ///< put, offer, get
  std::uint64_t bytes;    ///< of data; for a get, of data asked for; for an offer, of the sender's memory
  std::uint64_t address;  ///< offer
  std::span<const std::byte> tag;   ///< send
  std::span<const std::byte> data;  ///< put, send; of a send aligned to 16, or null
};

/// Steps through the records of a message. It trusts no field: whatever the bytes are, it reads only inside
/// them, ends, and throws Error if they are not well formed.
class RecordReader {
 public:
  RecordReader(std::span<const std::byte> records, Origin origin) : records_(records), origin_(origin) {}

  /// Sets `record` to the next record; false after the last. Fills the caller's in place, field by field:
  /// copying a record around costs a store-forwarding stall, which showed as half the time of a sync with
  /// many small puts.
  bool next(Record& record);

 private:
  std::span<const std::byte> take(std::uint64_t bytes) {
    if (bytes > records_.size() - position_) [[unlikely]]
      throw_cut_off(bytes);
    const auto taken = records_.subspan(position_, bytes);
    position_ += bytes;
    return taken;
  }
  void skip_padding() { position_ = std::min<std::size_t>(aligned(position_), records_.size()); }
  [[noreturn]] void throw_cut_off(std::uint64_t needed) const;

  std::span<const std::byte> records_;
  std::size_t position_ = 0;  ///< at most the size of the records
  Origin origin_;
};

/// A message taken apart: head, records, log.
struct Message {
  MessageHead head;
  Origin origin;
  std::span<const std::byte> records;
  std::vector<LogEntry> log;

  RecordReader reader() const { return {records, origin}; }
};

/// Checks the head and the lengths. `bytes` must start at a multiple of 16 and outlive what is made of `into`.
/// Throws Error if the message is not well formed or of another superstep; then `into` is as before.
void open_message(std::span<const std::byte> bytes, const Origin& expected, Message& into);
inline Message open_message(std::span<const std::byte> bytes, const Origin& expected) {
  Message message{};
  open_message(bytes, expected, message);
  return message;
}

}  // namespace lbsp::superstep
