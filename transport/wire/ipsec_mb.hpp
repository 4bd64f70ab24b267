#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lbsp::transport {

/// AES-256-GCM of intel-ipsec-mb, which is several times as fast as libsodium's. The library is opened when it is first
/// asked for, so that programs run on hosts without it too.
struct IpsecMb {
  /// Of an expanded key.
  static constexpr std::size_t state_bytes = 1024;
  static constexpr std::size_t state_alignment = 64;

  void (*expand)(const std::uint8_t* key, void* state);
  void (*seal)(const void* state, const std::uint8_t* nonce, std::span<const std::byte> header,
               std::span<std::byte> body, std::uint8_t* tag);
  /// Decrypts whatever it is, and writes the tag that it should have.
  void (*open)(const void* state, const std::uint8_t* nonce, std::span<const std::byte> header,
               std::span<std::byte> body, std::uint8_t* tag);

  /// Null where the library or what it needs of the processor is not there, or lbsp was built without its header.
  static const IpsecMb* find();
};

}  // namespace lbsp::transport
