#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transport/units.hpp"
#include "transport/wire/secret_bytes.hpp"

namespace lbsp::transport {

inline constexpr int job_tag_bits = 10;

/// The secret of one job. Whoever starts the job makes it and gives it to every rank over a channel that
/// others cannot read. All traffic keys derive from it, so a rank can impersonate another rank of its own
/// job. Core dumps leave it out.
struct JobKey {
  SecretBytes bytes;

  static JobKey random();
  /// The key of what follows a decision, or another part of the job: derived one-way (keyed BLAKE2b), and different for
  /// every context.
  JobKey derived(std::span<const std::byte> context) const;
  /// Marks the job's datagrams, below 2^job_tag_bits. It derives one-way from the key and tells nothing about it.
  std::uint16_t tag() const;
};

/// The authenticated ciphers that a job can use. All ranks use the same one.
enum class Cipher : std::uint8_t {
  aes256_gcm,         ///< where the processor has AES instructions; see AesGcm
  chacha20_poly1305,  ///< RFC 8439; about 1.2 µs, everywhere
};

/// Whether this processor can run the cipher.
bool cipher_available(Cipher cipher);

/// The fastest that this processor can run.
Cipher fastest_cipher();

/// Seals or opens the datagrams of one direction of one pair of ranks.
///
/// The key is derived from the job key, the direction and the epoch of the packet number (BLAKE2b,
/// libsodium's key derivation). An epoch is 2^22 packet numbers: 6 GB of datagrams of 1400 bytes, 275 GB of
/// the largest there are, below the 350 GB after which libsodium advises a new AES-GCM key. The nonce is the
/// packet number, which the sender never uses twice.
class DirectionKey {
 public:
  static constexpr std::uint64_t packets_per_epoch = std::uint64_t{1} << 22;

  DirectionKey(const JobKey& job, Rank source, Rank destination, Cipher cipher);
  DirectionKey(DirectionKey&&) noexcept;
  DirectionKey& operator=(DirectionKey&&) noexcept;
  ~DirectionKey();

  /// Encrypts `body` in place and writes the tag into the tag_bytes that follow it. `header` is
  /// authenticated.
  void seal(std::uint64_t packet_number, std::span<const std::byte> header,
            std::span<std::byte> body_and_tag);

  /// Checks and decrypts in place. Returns the body without its tag, or nothing if it is not authentic; its bytes
  /// are anything then.
  std::optional<std::span<std::byte>> open(std::uint64_t packet_number, std::span<const std::byte> header,
                                           std::span<std::byte> body_and_tag);

 private:
  struct Key;
  Key& key_for(std::uint64_t packet_number);
  Key& other_key_for(std::uint64_t epoch);

  JobKey job_;
  std::uint64_t direction_;
  Cipher cipher_;
  std::unique_ptr<Key> key_;       ///< of the newest epoch used
  std::unique_ptr<Key> previous_;  ///< of the epoch used before, for datagrams that overtook each other
};

}  // namespace lbsp::transport
