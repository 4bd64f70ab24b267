#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Where messages are written.
class MessageStorage {
 public:
  MessageStorage() = default;
  MessageStorage(const MessageStorage&) = delete;
  MessageStorage& operator=(const MessageStorage&) = delete;
  virtual ~MessageStorage() = default;

  /// Memory of at least `bytes` for the message to that rank, aligned to 16. It has the first `used`
  /// bytes of what the last call for that rank returned.
  virtual std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) = 0;
  /// Copies a long run of bytes to a place in the room of that rank, in the way that suits who reads it.
  virtual void copy(Rank to, std::byte* place, std::span<const std::byte> bytes);
};

/// Messages in buffers of this process, one for each rank.
class MessageBuffers final : public MessageStorage {
 public:
  explicit MessageBuffers(Rank size) : buffers_(static_cast<std::size_t>(size)) {}

  std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) override;

  /// Gives the message out, the first `bytes` of its room. The next room is another one.
  Bytes take(Rank to, std::size_t bytes);
  /// Takes a buffer that is no longer needed for the next message to that rank: if it is small, or not much larger than
  /// the last one that was given out.
  void give(Rank to, Bytes buffer);

 private:
  struct Buffer {
    Bytes bytes;
    std::size_t last = 0;  ///< bytes of the message that was given out last
  };
  Buffer& buffer(Rank to) { return buffers_[static_cast<std::size_t>(to)]; }

  std::vector<Buffer> buffers_;
};

}  // namespace lbsp::transport
