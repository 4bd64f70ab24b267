#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lbsp/superstep/messages/message_reader.hpp"
#include "lbsp/superstep/messages/message_writer.hpp"

namespace lbsp::superstep {

inline constexpr Origin from_rank_1{1, 7};

inline std::vector<std::byte> text(const std::string& characters) {
  const auto bytes = std::as_bytes(std::span(characters));
  return {bytes.begin(), bytes.end()};
}

inline bool equal(std::span<const std::byte> left, std::span<const std::byte> right) {
  return std::ranges::equal(left, right);
}

/// A writer with a buffer of its own.
class TestWriter {
 public:
  void put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data) {
    writer_.put(slot, offset, data);
  }
  void get(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes) {
    writer_.get(slot, offset, bytes);
  }
  void send(std::uint32_t slot, std::span<const std::byte> tag, std::span<const std::byte> values) {
    writer_.send(slot, tag, values);
  }
  void offer(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes, std::uint64_t address) {
    writer_.offer(slot, offset, bytes, address);
  }
  Bytes finish(Ending ending, std::uint64_t superstep, std::span<const LogEntry> log) {
    return buffers_.take(0, writer_.finish(ending, superstep, log));
  }
  void begin_in(Bytes buffer) {
    buffers_.give(0, std::move(buffer));
    writer_.start();
  }

 private:
  transport::MessageBuffers buffers_{1};
  MessageWriter writer_{buffers_, 0};
};

}  // namespace lbsp::superstep
