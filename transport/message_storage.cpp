#include "transport/message_storage.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lbsp::transport {
namespace {

/// Buffers up to this size are always kept for the next superstep; larger ones only while they are used.
constexpr std::size_t always_kept_bytes = 65'536;

}  // namespace

void MessageStorage::copy(Rank /*to*/, std::byte* place, std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
}

std::span<std::byte> MessageBuffers::room(Rank to, std::size_t bytes, std::size_t used) {
  Bytes& room = buffer(to).bytes;
  if (room.size() < bytes) {
    Bytes larger(std::max(bytes, 2 * room.size()));
    if (used > 0) std::memcpy(larger.data(), room.data(), used);
    room = std::move(larger);
  }
  return room;
}

Bytes MessageBuffers::take(Rank to, std::size_t bytes) {
  Buffer& taken = buffer(to);
  taken.last = bytes;
  taken.bytes.resize(bytes);
  return std::exchange(taken.bytes, {});
}

void MessageBuffers::give(Rank to, Bytes buffer_again) {
  Buffer& place = buffer(to);
  if (buffer_again.capacity() > std::max(always_kept_bytes, 4 * place.last)) return;
  buffer_again.resize(buffer_again.capacity());
  place.bytes = std::move(buffer_again);
}

}  // namespace lbsp::transport
