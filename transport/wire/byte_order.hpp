#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace lbsp::transport {

/// How many bytes a varint of RFC 9000, section 16, takes at least: 1, 2, 4 or 8. It holds 62 bits.
constexpr std::size_t varint_bytes(std::uint64_t value) {
  if (value < std::uint64_t{1} << 6) return 1;
  if (value < std::uint64_t{1} << 14) return 2;
  return value < std::uint64_t{1} << 30 ? 4 : 8;
}

/// Writes little-endian integers one after another into a buffer, which the caller makes large enough.
class WireWriter {
 public:
  explicit WireWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  template <class Integer>
  void put(Integer value) {
    static_assert(std::is_unsigned_v<Integer>);
    // Looked up once: for all that a compiler knows, what is written there might be this object's own.
    const auto place = take(sizeof(Integer));
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      place[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
  }

  /// The lowest `count` bytes.
  void put_low(std::uint64_t value, std::size_t count) {
    const auto place = take(count);
    for (std::size_t i = 0; i < count; ++i)
      place[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
  }
  /// In network byte order; the two highest bits tell how long it is.
  void put_varint(std::uint64_t value) {
    const std::size_t count = varint_bytes(value);
    const std::uint64_t length = static_cast<std::uint64_t>(std::countr_zero(count)) << 62;
    value |= length >> (64 - 8 * count);
    for (std::size_t i = count; i-- > 0;)
      put(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  /// The bytes may already be in the buffer, even in their place.
  void put(std::span<const std::byte> bytes) {
    if (!bytes.empty())
      std::memmove(buffer_.subspan(written_, bytes.size()).data(), bytes.data(), bytes.size());
    written_ += bytes.size();
  }

  /// The place of the next `count` bytes.
  std::span<std::byte> take(std::size_t count) {
    const auto place = buffer_.subspan(written_, count);
    written_ += count;
    return place;
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
    if (bytes.empty()) return value;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      value = static_cast<Integer>(value | static_cast<Integer>(static_cast<Integer>(bytes[i]) << (8 * i)));
    }
    return value;
  }

  /// The number that has these lowest `count` bytes, and no others.
  std::uint64_t get_low(std::size_t count) {
    const auto bytes = take(count);
    std::uint64_t value = 0;
    if (bytes.empty()) return value;
    for (std::size_t i = 0; i < count; ++i)
      value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
  }
  /// A varint that is longer than it need be makes ok() false, too.
  std::uint64_t get_varint() {
    const auto first = get<std::uint8_t>();
    const std::size_t count = std::size_t{1} << (first >> 6);
    std::uint64_t value = first & 0x3fu;
    for (std::size_t i = 1; i < count; ++i)
      value = value << 8 | get<std::uint8_t>();
    if (varint_bytes(value) != count) ok_ = false;
    return ok_ ? value : 0;
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
