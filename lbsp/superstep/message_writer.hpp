#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lbsp/superstep/layout.hpp"
#include "transport/bytes.hpp"

namespace lbsp::superstep {

/// Builds the message to one rank as the calls of the superstep come in (layout.hpp). One buffer, which
/// grows; no allocation per call. A put that continues where the previous one ended joins its record, so
/// putting an array element by element costs little more than putting it whole.
class MessageWriter {
 public:
  MessageWriter() { start({}); }

  /// Begins a new message in `storage`, whose content is dropped and whose capacity is used.
  void start(Bytes storage);

  void put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data) {
    if (last_put_ != 0 && slot == last_slot_ && offset == last_end_) {
      extend(data);
    } else {
      add_put(slot, offset, data);
    }
  }
  void get(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes);
  void send(std::uint32_t slot, std::span<const std::byte> tag, std::span<const std::byte> values);

  /// The finished message. Call start() before writing the next.
  Bytes finish(Ending ending, std::uint64_t superstep, std::span<const LogEntry> log);

 private:
  void begin(const RecordHead& head, std::uint64_t body);
  void append(std::span<const std::byte> data);
  void pad();
  void add_put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data);
  void extend(std::span<const std::byte> data);

  Bytes bytes_;
  bool asks_ = false;
  std::size_t last_put_ = 0;  ///< where the head of the last record is, if that is a put; otherwise 0
  std::uint32_t last_slot_ = 0;
  std::uint64_t last_end_ = 0;
};

}  // namespace lbsp::superstep
