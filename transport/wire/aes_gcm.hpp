#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "transport/wire/ipsec_mb.hpp"
#include "transport/wire/secret_bytes.hpp"

namespace lbsp::transport {

using Nonce = std::array<std::uint8_t, 12>;

/// AES-256-GCM (NIST SP 800-38D) with one key. Which library does it makes no difference to the bytes.
class AesGcm {
 public:
  /// Whether this processor has the instructions. sodium_init() must have been called.
  static bool available();

  /// By intel-ipsec-mb if it is there (0.12 µs per 1400 bytes with AVX-512), otherwise, or with `ipsec_mb` null, by
  /// libsodium (0.8 µs).
  explicit AesGcm(const SecretBytes& key, const IpsecMb* ipsec_mb = IpsecMb::find());

  /// Encrypts in place, and writes the tag into the tag_bytes that follow the body. `header` is authenticated.
  void seal(const Nonce& nonce, std::span<const std::byte> header, std::span<std::byte> body_and_tag) const;
  /// Decrypts in place. False if it is not authentic: the body is anything then.
  bool open(const Nonce& nonce, std::span<const std::byte> header, std::span<std::byte> body_and_tag) const;

 private:
  struct FreeState {
    void operator()(void* state) const noexcept { free_secret(state, IpsecMb::state_bytes); }
  };

  const IpsecMb* ipsec_mb_;
  std::unique_ptr<void, FreeState> state_;  ///< the expanded key, in the library's form
};

}  // namespace lbsp::transport
