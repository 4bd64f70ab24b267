#include "transport/wire/aes_gcm.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <random>
#include <sodium.h>
#include <vector>

#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

using Data = std::vector<std::byte>;

Data bytes_of(const std::string& hexadecimal) {
  Data data(hexadecimal.size() / 2);
  sodium_hex2bin(reinterpret_cast<unsigned char*>(data.data()), data.size(), hexadecimal.data(),
                 hexadecimal.size(), nullptr, nullptr, nullptr);
  return data;
}

class AesGcmTest : public testing::Test {
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

}  // namespace
}  // namespace lbsp::transport
