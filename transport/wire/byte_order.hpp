#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace lbsp::transport {

/// Writes little-endian integers one after another into a buffer, which the caller makes large enough.
class WireWriter {
 public:
  explicit WireWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  template <class Integer>
  void put(Integer value) {
    static_assert(std::is_unsigned_v<Integer>);
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      buffer_[written_ + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
    }
    written_ += sizeof(Integer);
  }

  /// The bytes may already be in the buffer, even in their place.
  void put(std::span<const std::byte> bytes) {
    if (!bytes.empty())
      std::memmove(buffer_.subspan(written_, bytes.size()).data(), bytes.data(), bytes.size());
    written_ += bytes.size();
  }

  /// Skips bytes that were written in another way.
  void skip(std::size_t count) { written_ += count; }

  std::size_t written() const { return written_; }
  std::size_t room() const { return buffer_.size() - written_; }
  std::span<std::byte> rest() const { return buffer_.subspan(written_); }

 private:
  std::span<std::byte> buffer_;
  std::size_t written_ = 0;
};

/// Reads what WireWriter wrote. Reading past the end gives zeros and makes ok() false for good, so a parser
/// need check only once, at its end.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> buffer) : rest_(buffer) {}

  template <class Integer>
  Integer get() {
    static_assert(std::is_unsigned_v<Integer>);
    const auto bytes = take(sizeof(Integer));
    Integer value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value = static_cast<Integer>(value | static_cast<Integer>(static_cast<Integer>(bytes[i]) << (8 * i)));
    }
    return value;
  }

  /// The next `count` bytes, or none if there are fewer.
  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  std::span<const std::byte> rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace lbsp::transport
