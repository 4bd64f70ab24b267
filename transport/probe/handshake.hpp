#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/udp/sockets/socket_address.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport::probe {

/// How the two ends find out that both hold the key, and agree on a key for their session. The client proves
/// that it is there now, and not a recording, by using a nonce that the responder has just made.
using HandshakeNonce = std::array<std::uint8_t, 16>;

HandshakeNonce random_nonce();

struct Hello {
  HandshakeNonce client{};
  bool has_aes = false;
};

struct Challenge {
  HandshakeNonce client{};
  HandshakeNonce responder{};
  bool busy = false;
  transport::Cipher cipher = transport::Cipher::chacha20_poly1305;
};

/// Writes a whole datagram (hello_bytes long, or shorter) and returns its length. It is sealed under the
/// long-lived key with XChaCha20-Poly1305, whose random nonces are long enough never to repeat.
std::size_t write_hello(std::span<std::byte> datagram, const transport::JobKey& key, const Hello& hello);
std::size_t write_challenge(std::span<std::byte> datagram, const transport::JobKey& key,
                            const Challenge& challenge);

/// Returns nothing unless a holder of the key wrote it. Decrypts in place.
std::optional<Hello> read_hello(std::span<std::byte> datagram, const transport::JobKey& key);
std::optional<Challenge> read_challenge(std::span<std::byte> datagram, const transport::JobKey& key);

/// The key of the session with these nonces.
transport::JobKey session_key(const transport::JobKey& key, const HandshakeNonce& client,
                              const HandshakeNonce& responder);
std::uint32_t session_id(const HandshakeNonce& client);

/// Makes a responder's nonces without remembering whom it gave them to. They are a function of a secret of
/// its own, of the number of sessions so far, and of the client. Every session makes all earlier nonces
/// expire, and with them all recordings of other sessions.
class NonceMaker {
 public:
  NonceMaker() : secret_(transport::JobKey::random()) {}

  HandshakeNonce nonce_for(const HandshakeNonce& client, const transport::SocketAddress& address) const;
  void expire_all() { ++generation_; }

 private:
  transport::JobKey secret_;
  std::uint64_t generation_ = 0;
};

}  // namespace lbsp::transport::probe
