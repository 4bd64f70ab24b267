#include "transport/wire/sealing.hpp"

#include <cstring>
#include <sodium.h>
#include <stdexcept>

#include "transport/wire/aes_gcm.hpp"
#include "transport/wire/format.hpp"
#include "transport/wire/raw_bytes.hpp"

namespace lbsp::transport {
namespace {

constexpr char traffic_context[crypto_kdf_CONTEXTBYTES + 1] = "lbsp-dir";
constexpr char tag_context[crypto_kdf_CONTEXTBYTES + 1] = "lbsp-tag";

static_assert(crypto_aead_chacha20poly1305_IETF_NPUBBYTES == std::tuple_size_v<Nonce>);
static_assert(crypto_aead_chacha20poly1305_IETF_ABYTES == tag_bytes);

/// Where it is wanted, as a copy right behind it would be waited for.
void make_nonce(std::uint64_t packet_number, Nonce& nonce) {
  for (std::size_t i = 0; i < 4; ++i)
    nonce[i] = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    nonce[4 + i] = static_cast<unsigned char>(packet_number >> (8 * i) & 0xff);
  }
}

void ensure_sodium() {
  static const int state = sodium_init();
  if (state < 0) throw std::runtime_error("libsodium does not start: no source of random numbers");
}

}  // namespace

JobKey JobKey::random() {
  ensure_sodium();
  JobKey key;
  randombytes_buf(key.bytes.data(), key.bytes.size());
  return key;
}

JobKey JobKey::derived(std::span<const std::byte> context) const {
  ensure_sodium();
  JobKey key;
  crypto_generichash(key.bytes.data(), key.bytes.size(), raw(context), context.size(), bytes.data(),
                     bytes.size());
  return key;
}

std::uint16_t JobKey::tag() const {
  std::array<unsigned char, crypto_kdf_BYTES_MIN> derived{};
  crypto_kdf_derive_from_key(derived.data(), derived.size(), 0, tag_context, bytes.data());
  return static_cast<std::uint16_t>((derived[0] | derived[1] << 8) & ((1 << job_tag_bits) - 1));
}

bool cipher_available(Cipher cipher) {
  ensure_sodium();
  return cipher != Cipher::aes256_gcm || AesGcm::available();
}

Cipher fastest_cipher() {
  return cipher_available(Cipher::aes256_gcm) ? Cipher::aes256_gcm : Cipher::chacha20_poly1305;
}

/// The key of one epoch. AES keeps its expanded key, which ChaCha20 does not need.
struct DirectionKey::Key {
  std::uint64_t epoch;
  SecretBytes bytes;
  std::optional<AesGcm> aes;
};

DirectionKey::DirectionKey(const JobKey& job, Rank source, Rank destination, Cipher cipher)
    : job_(job),
      direction_(static_cast<std::uint64_t>(source) << 16 | static_cast<std::uint64_t>(destination)),
      cipher_(cipher) {
  ensure_sodium();
}

DirectionKey::DirectionKey(DirectionKey&&) noexcept = default;
DirectionKey& DirectionKey::operator=(DirectionKey&&) noexcept = default;
DirectionKey::~DirectionKey() = default;

inline DirectionKey::Key& DirectionKey::key_for(std::uint64_t packet_number) {
  const std::uint64_t epoch = packet_number / packets_per_epoch;
  return key_ && key_->epoch == epoch ? *key_ : other_key_for(epoch);
}

DirectionKey::Key& DirectionKey::other_key_for(std::uint64_t epoch) {
  if (previous_ && previous_->epoch == epoch) return *previous_;

  auto key = std::make_unique<Key>();
  key->epoch = epoch;
  crypto_kdf_derive_from_key(key->bytes.data(), key->bytes.size(), epoch << 32 | direction_, traffic_context,
                             job_.bytes.data());
  if (cipher_ == Cipher::aes256_gcm) key->aes.emplace(key->bytes);
  previous_ = std::move(key_);
  key_ = std::move(key);
  return *key_;
}

void DirectionKey::seal(std::uint64_t packet_number, std::span<const std::byte> header,
                        std::span<std::byte> body_and_tag) {
  const Key& key = key_for(packet_number);
  Nonce nonce;
  make_nonce(packet_number, nonce);
  if (key.aes) return key.aes->seal(nonce, header, body_and_tag);
  const auto length = body_and_tag.size() - tag_bytes;
  unsigned char* const body = raw(body_and_tag);
  crypto_aead_chacha20poly1305_ietf_encrypt_detached(body, body + length, nullptr, body, length, raw(header),
                                                     header.size(), nullptr, nonce.data(), key.bytes.data());
}

std::optional<std::span<std::byte>> DirectionKey::open(std::uint64_t packet_number,
                                                       std::span<const std::byte> header,
                                                       std::span<std::byte> body_and_tag) {
  if (body_and_tag.size() < tag_bytes) return std::nullopt;
  const Key& key = key_for(packet_number);
  Nonce nonce;
  make_nonce(packet_number, nonce);
  const auto body = body_and_tag.first(body_and_tag.size() - tag_bytes);
  const auto authentic = [&] {
    if (key.aes) return key.aes->open(nonce, header, body_and_tag);
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
               raw(body), nullptr, raw(body), body.size(), raw(body) + body.size(), raw(header),
               header.size(), nonce.data(), key.bytes.data()) == 0;
  };
  return authentic() ? std::optional(body) : std::nullopt;
}

}  // namespace lbsp::transport
