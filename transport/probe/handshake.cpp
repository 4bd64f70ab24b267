#include "transport/probe/handshake.hpp"

#include <algorithm>
#include <cstring>
#include <sodium.h>

#include "transport/probe/datagram.hpp"
#include "transport/wire/raw_bytes.hpp"

namespace lbsp::transport::probe {
namespace {

using transport::Cipher;
using transport::JobKey;
using transport::WireReader;
using transport::WireWriter;

constexpr char context[crypto_kdf_CONTEXTBYTES + 1] = "lbsp-prb";
constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t clear_bytes = header_bytes + nonce_bytes;
constexpr std::size_t challenge_bytes = 128;
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == seal_bytes);
static_assert(challenge_bytes <= hello_bytes);  // answers never amplify

std::span<const std::byte> bytes_of(const HandshakeNonce& nonce) {
  return std::as_bytes(std::span(nonce));
}

HandshakeNonce read_nonce(WireReader& in) {
  HandshakeNonce nonce{};
  const auto bytes = in.take(nonce.size());
  if (!bytes.empty()) std::memcpy(nonce.data(), bytes.data(), nonce.size());
  return nonce;
}

SecretBytes handshake_key(const JobKey& key, Kind kind) {
  SecretBytes derived;
  crypto_kdf_derive_from_key(derived.data(), derived.size(), static_cast<std::uint64_t>(kind), context,
                             key.bytes.data());
  return derived;
}

/// Seals what stands between the clear part and the tag of the whole datagram.
void seal(std::span<std::byte> datagram, const JobKey& key, Kind kind, const HandshakeNonce& client) {
  WireWriter header(datagram);
  write(header, Header{kind, session_id(client), key.tag(), 0});
  unsigned char* const bytes = raw(datagram);
  randombytes_buf(bytes + header_bytes, nonce_bytes);
  const auto length = datagram.size() - clear_bytes - seal_bytes;
  crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
      bytes + clear_bytes, bytes + clear_bytes + length, nullptr, bytes + clear_bytes, length, bytes,
      header_bytes, nullptr, bytes + header_bytes, handshake_key(key, kind).data());
}

std::optional<std::span<const std::byte>> open(std::span<std::byte> datagram, const JobKey& key, Kind kind,
                                               std::size_t size) {
  if (datagram.size() != size) return std::nullopt;
  unsigned char* const bytes = raw(datagram);
  const auto length = size - clear_bytes - seal_bytes;
  if (crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
          bytes + clear_bytes, nullptr, bytes + clear_bytes, length, bytes + clear_bytes + length, bytes,
          header_bytes, bytes + header_bytes, handshake_key(key, kind).data()) != 0) {
    return std::nullopt;
  }
  return datagram.subspan(clear_bytes, length);
}

std::span<std::byte> clean_body(std::span<std::byte> datagram) {
  std::ranges::fill(datagram, std::byte{0});
  return datagram.subspan(clear_bytes);
}

}  // namespace

HandshakeNonce random_nonce() {
  const auto random = JobKey::random();
  HandshakeNonce nonce{};
  std::copy_n(random.bytes.begin(), nonce.size(), nonce.begin());
  return nonce;
}

std::size_t write_hello(std::span<std::byte> buffer, const JobKey& key, const Hello& hello) {
  const auto datagram = buffer.first(hello_bytes);
  WireWriter out(clean_body(datagram));
  out.put(bytes_of(hello.client));
  out.put(static_cast<std::uint8_t>(hello.has_aes ? 1 : 0));
  seal(datagram, key, Kind::hello, hello.client);
  return hello_bytes;
}

std::size_t write_challenge(std::span<std::byte> buffer, const JobKey& key, const Challenge& challenge) {
  const auto datagram = buffer.first(challenge_bytes);
  WireWriter out(clean_body(datagram));
  out.put(bytes_of(challenge.client));
  out.put(bytes_of(challenge.responder));
  out.put(static_cast<std::uint8_t>(challenge.busy ? 1 : 0));
  out.put(static_cast<std::uint8_t>(challenge.cipher));
  seal(datagram, key, Kind::challenge, challenge.client);
  return challenge_bytes;
}

std::optional<Hello> read_hello(std::span<std::byte> datagram, const JobKey& key) {
  const auto body = open(datagram, key, Kind::hello, hello_bytes);
  if (!body) return std::nullopt;
  WireReader in(*body);
  const auto client = read_nonce(in);
  return Hello{client, in.get<std::uint8_t>() == 1};
}

std::optional<Challenge> read_challenge(std::span<std::byte> datagram, const JobKey& key) {
  const auto body = open(datagram, key, Kind::challenge, challenge_bytes);
  if (!body) return std::nullopt;
  WireReader in(*body);
  Challenge challenge;
  challenge.client = read_nonce(in);
  challenge.responder = read_nonce(in);
  challenge.busy = in.get<std::uint8_t>() == 1;
  challenge.cipher = in.get<std::uint8_t>() == static_cast<std::uint8_t>(Cipher::aes256_gcm)
                         ? Cipher::aes256_gcm
                         : Cipher::chacha20_poly1305;
  return challenge;
}

JobKey session_key(const JobKey& key, const HandshakeNonce& client, const HandshakeNonce& responder) {
  JobKey session;
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.bytes.data(), key.bytes.size(), session.bytes.size());
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>("lbsp-probe-session"), 18);
  crypto_generichash_update(&state, client.data(), client.size());
  crypto_generichash_update(&state, responder.data(), responder.size());
  crypto_generichash_final(&state, session.bytes.data(), session.bytes.size());
  return session;
}

std::uint32_t session_id(const HandshakeNonce& client) {
  WireReader in(bytes_of(client));
  return in.get<std::uint32_t>();
}

HandshakeNonce NonceMaker::nonce_for(const HandshakeNonce& client,
                                     const transport::SocketAddress& address) const {
  HandshakeNonce nonce{};
  crypto_generichash_state state;
  crypto_generichash_init(&state, secret_.bytes.data(), secret_.bytes.size(), nonce.size());
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&generation_), sizeof generation_);
  crypto_generichash_update(&state, client.data(), client.size());
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&address.storage), address.length);
  crypto_generichash_final(&state, nonce.data(), nonce.size());
  return nonce;
}

}  // namespace lbsp::transport::probe
