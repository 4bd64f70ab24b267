#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace lbsp::transport {

/// Memory for secrets: the system leaves it out of core dumps, and it is cleared when it is given back. Throws
/// std::bad_alloc.
void* allocate_secret(std::size_t bytes);
void free_secret(void* memory, std::size_t bytes) noexcept;

/// Clears what may have been a secret, such as the text of a key, before its memory is used for anything else.
void wipe(std::span<char> text) noexcept;
/// Clears what functions that have returned may have left of a secret on this thread's stack and in vector
/// registers, which the dynamic linker saves on the stack when a function is called for the first time.
void wipe_returned_frames() noexcept;

/// A key of 32 bytes, wherever it is copied to.
class SecretBytes {
 public:
  static constexpr std::size_t count = 32;
  using Bytes = std::array<std::uint8_t, count>;

  SecretBytes() : bytes_(new (allocate_secret(count)) Bytes{}) {}
  SecretBytes(const SecretBytes& other) : SecretBytes() { *bytes_ = *other.bytes_; }
  SecretBytes& operator=(const SecretBytes& other) {
    if (this != &other) *bytes_ = *other.bytes_;
    return *this;
  }
  ~SecretBytes() { free_secret(bytes_, count); }

  static constexpr std::size_t size() { return count; }
  std::uint8_t* data() { return bytes_->data(); }
  const std::uint8_t* data() const { return bytes_->data(); }
  std::uint8_t* begin() { return bytes_->data(); }
  std::uint8_t* end() { return bytes_->data() + count; }
  const std::uint8_t* begin() const { return bytes_->data(); }
  const std::uint8_t* end() const { return bytes_->data() + count; }
  std::uint8_t& operator[](std::size_t index) { return (*bytes_)[index]; }
  const std::uint8_t& operator[](std::size_t index) const { return (*bytes_)[index]; }

  friend bool operator==(const SecretBytes& left, const SecretBytes& right) {
    return *left.bytes_ == *right.bytes_;
  }

 private:
  Bytes* bytes_;
};

}  // namespace lbsp::transport
