#include "transport/wire/aes_gcm.hpp"

#include <cstring>
#include <sodium.h>

#include "transport/wire/format.hpp"
#include "transport/wire/raw_bytes.hpp"

namespace lbsp::transport {
namespace {

static_assert(crypto_aead_aes256gcm_NPUBBYTES == std::tuple_size_v<Nonce>);
static_assert(crypto_aead_aes256gcm_ABYTES == tag_bytes);
static_assert(crypto_aead_aes256gcm_KEYBYTES == SecretBytes::count);
static_assert(sizeof(crypto_aead_aes256gcm_state) <= IpsecMb::state_bytes);

const crypto_aead_aes256gcm_state* of_sodium(const void* state) {
  return static_cast<const crypto_aead_aes256gcm_state*>(state);
}

/// In the same time wherever they differ. sodium_memcmp() goes byte by byte, which takes as long as sealing 300 bytes.
bool same_tag(const std::uint8_t* tag, const std::uint8_t* right) {
  static_assert(tag_bytes == 2 * sizeof(std::uint64_t));
  std::array<std::uint64_t, 2> words{};
  std::array<std::uint64_t, 2> right_words{};
  std::memcpy(words.data(), tag, tag_bytes);
  std::memcpy(right_words.data(), right, tag_bytes);
  return ((words[0] ^ right_words[0]) | (words[1] ^ right_words[1])) == 0;
}

}  // namespace

bool AesGcm::available() {
  return crypto_aead_aes256gcm_is_available() == 1;
}

AesGcm::AesGcm(const SecretBytes& key, const IpsecMb* ipsec_mb)
    : ipsec_mb_(ipsec_mb), state_(allocate_secret(IpsecMb::state_bytes)) {
  if (ipsec_mb_ != nullptr) {
    ipsec_mb_->expand(key.data(), state_.get());
  } else {
    crypto_aead_aes256gcm_beforenm(static_cast<crypto_aead_aes256gcm_state*>(state_.get()), key.data());
  }
}

void AesGcm::seal(const Nonce& nonce, std::span<const std::byte> header,
                  std::span<std::byte> body_and_tag) const {
  const auto body = body_and_tag.first(body_and_tag.size() - tag_bytes);
  std::uint8_t* const tag = raw(body_and_tag.last(tag_bytes));
  if (ipsec_mb_ != nullptr) return ipsec_mb_->seal(state_.get(), nonce.data(), header, body, tag);
  crypto_aead_aes256gcm_encrypt_detached_afternm(raw(body), tag, nullptr, raw(body), body.size(), raw(header),
                                                 header.size(), nullptr, nonce.data(),
                                                 of_sodium(state_.get()));
}

bool AesGcm::open(const Nonce& nonce, std::span<const std::byte> header,
                  std::span<std::byte> body_and_tag) const {
  const auto body = body_and_tag.first(body_and_tag.size() - tag_bytes);
  const std::uint8_t* const tag = raw(body_and_tag.last(tag_bytes));
  if (ipsec_mb_ != nullptr) {
    std::array<std::uint8_t, tag_bytes> right{};
    ipsec_mb_->open(state_.get(), nonce.data(), header, body, right.data());
    return same_tag(tag, right.data());
  }
  return crypto_aead_aes256gcm_decrypt_detached_afternm(raw(body), nullptr, raw(body), body.size(), tag,
                                                        raw(header), header.size(), nonce.data(),
                                                        of_sodium(state_.get())) == 0;
}

}  // namespace lbsp::transport
