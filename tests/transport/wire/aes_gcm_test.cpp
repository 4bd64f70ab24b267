#include "transport/wire/aes_gcm.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <random>
#include <sodium.h>
#include <vector>

#include "transport/wire/format.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {
namespace {

using Data = std::vector<std::byte>;

Data bytes_of(const std::string& hexadecimal) {
  Data data(hexadecimal.size() / 2);
  sodium_hex2bin(reinterpret_cast<unsigned char*>(data.data()), data.size(), hexadecimal.data(),
                 hexadecimal.size(), nullptr, nullptr, nullptr);
  return data;
}

class AesGcmTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(sodium_init(), 0);
    if (!AesGcm::available()) GTEST_SKIP() << "no AES instructions";
    libraries_ = {nullptr};
    if (const IpsecMb* found = IpsecMb::find()) libraries_.push_back(found);
  }
  std::byte random_byte() { return static_cast<std::byte>(random_()); }

  std::vector<const IpsecMb*> libraries_;
  std::mt19937_64 random_{1};
};

#if defined(__x86_64__) && __has_include(<intel-ipsec-mb.h>)
TEST_F(AesGcmTest, is_done_by_the_faster_library_wherever_that_can_be_loaded) {
  EXPECT_EQ(IpsecMb::find() != nullptr, ::dlopen("libIPSec_MB.so.1", RTLD_NOW) != nullptr);
}
#endif

/// The GCM specification's test case 16 (McGrew and Viega, The Galois/Counter Mode of Operation, 2005, appendix B).
TEST_F(AesGcmTest, seals_the_specifications_example) {
  const Data key = bytes_of("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
  const Data plain = bytes_of(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
      "ba637b39");
  const Data header = bytes_of("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const Data sealed = bytes_of(
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a"
      "bcc9f66276fc6ece0f4e1768cddf8853bb2d551b");
  const Data nonce_bytes = bytes_of("cafebabefacedbaddecaf888");
  Nonce nonce{};
  std::memcpy(nonce.data(), nonce_bytes.data(), nonce.size());
  SecretBytes secret;
  std::memcpy(secret.data(), key.data(), secret.size());
  for (const IpsecMb* library : libraries_) {
    const AesGcm aes(secret, library);
    Data body = plain;
    body.resize(plain.size() + tag_bytes);
    aes.seal(nonce, header, body);
    EXPECT_EQ(body, sealed);
    EXPECT_TRUE(aes.open(nonce, header, body));
    body.resize(plain.size());
    EXPECT_EQ(body, plain);
  }
}

TEST_F(AesGcmTest, what_one_library_seals_the_other_opens) {
  SecretBytes key;
  for (auto& byte : key)
    byte = static_cast<std::uint8_t>(random_());
  for (std::size_t bytes = 0; bytes < 1500; bytes += bytes < 300 ? 1 : 37) {
    Data plain(bytes + tag_bytes);
    for (auto& byte : plain)
      byte = random_byte();
    Data header(bytes % 33);
    const Nonce nonce{static_cast<std::uint8_t>(bytes)};
    for (const IpsecMb* sealer : libraries_) {
      for (const IpsecMb* opener : libraries_) {
        Data body = plain;
        AesGcm(key, sealer).seal(nonce, header, body);
        ASSERT_TRUE(AesGcm(key, opener).open(nonce, header, body)) << bytes;
        ASSERT_TRUE(std::equal(body.begin(), body.end() - tag_bytes, plain.begin())) << bytes;
      }
    }
  }
}

TEST_F(AesGcmTest, what_was_changed_anywhere_is_not_authentic) {
  const SecretBytes key;
  const Data header(16);
  for (const IpsecMb* library : libraries_) {
    const AesGcm aes(key, library);
    Data sealed(100 + tag_bytes);
    aes.seal({}, header, sealed);
    for (std::size_t i = 0; i < sealed.size(); ++i) {
      Data body = sealed;
      body[i] ^= std::byte{16};
      EXPECT_FALSE(aes.open({}, header, body)) << i;
    }
    for (std::size_t i = 0; i < header.size(); ++i) {
      Data body = sealed;
      Data other = header;
      other[i] ^= std::byte{1};
      EXPECT_FALSE(aes.open({}, other, body)) << i;
    }
    Data body = sealed;
    EXPECT_FALSE(aes.open({1}, header, body));
    EXPECT_TRUE(aes.open({}, header, sealed));
  }
}

/// Made with other libraries: the key is BLAKE2b's, with the direction and the epoch for salt, and "lbsp-dir" for
/// purpose.
struct SealedExample {
  Cipher cipher;
  std::uint64_t epoch;
  const char* sealed;
};
constexpr SealedExample sealed_examples[] = {
    {Cipher::aes256_gcm, 0, "d1cd12620fa711bae97abcfda4c45d9619382a71c57d06f5f6"},
    {Cipher::aes256_gcm, 2, "f85e42788be02541d7de670381ce2043f7ebd3e9c05ec3151f"},
    {Cipher::chacha20_poly1305, 0, "e432aa44336e3ca96469a0e2bca28eac57b1230da1930b479c"},
    {Cipher::chacha20_poly1305, 2, "ce493dc7fb9358b144c4a90e383f57a222dad04267a5e74320"}};

JobKey counting_key() {
  JobKey job;
  for (std::size_t i = 0; i < job.bytes.size(); ++i)
    job.bytes.data()[i] = static_cast<unsigned char>(i);
  return job;
}

Data bytes_in(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(DirectionKey, seals_as_documented) {
  for (const SealedExample& example : sealed_examples) {
    if (!cipher_available(example.cipher)) continue;
    DirectionKey key(counting_key(), 3, 258, example.cipher);
    for (std::uint64_t epoch = 0; epoch <= example.epoch; ++epoch) {
      Data body = bytes_in("superstep");
      body.resize(body.size() + tag_bytes);
      key.seal(epoch * DirectionKey::packets_per_epoch + 5, bytes_in("header"), body);
      EXPECT_EQ(body == bytes_of(example.sealed), epoch == example.epoch) << epoch;
    }
  }
}

TEST(DirectionKey, opens_what_has_no_bytes_but_its_tag) {
  Data body(tag_bytes);
  DirectionKey(counting_key(), 0, 1, Cipher::chacha20_poly1305).seal(7, bytes_in("header"), body);
  DirectionKey opening(counting_key(), 0, 1, Cipher::chacha20_poly1305);
  EXPECT_FALSE(opening.open(7, bytes_in("header"), std::span(body).first(tag_bytes - 1)));
  EXPECT_TRUE(opening.open(7, bytes_in("header"), body));
}

TEST(JobKey, has_the_documented_tag) {
  EXPECT_EQ(counting_key().tag(), 0x2c1);
}

TEST(Cipher, chacha20_is_available_everywhere_and_aes_where_the_processor_has_its_instructions) {
  EXPECT_TRUE(cipher_available(Cipher::chacha20_poly1305));
  EXPECT_EQ(cipher_available(Cipher::aes256_gcm), AesGcm::available());
#if defined(__x86_64__)
  EXPECT_EQ(AesGcm::available(), __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul"));
#endif
}

}  // namespace
}  // namespace lbsp::transport
