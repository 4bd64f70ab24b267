#include "tools/check/knock.hpp"

#include <gtest/gtest.h>

namespace lbsp::check {
namespace {

TEST(Knock, is_read_by_the_host_that_it_is_for_and_by_no_other) {
  const auto key = transport::JobKey::random();
  KnockCipher first(key, 0, 3);
  KnockCipher second(key, 1, 3);
  KnockCipher third(key, 2, 3);
  auto datagram = first.seal({.answer = false, .from = 0, .to = 1, .size = 1200});
  EXPECT_EQ(datagram.size(), 1200U);
  auto copy = datagram;
  EXPECT_FALSE(third.open(copy));
  const auto knock = second.open(datagram);
  ASSERT_TRUE(knock);
  EXPECT_FALSE(knock->answer);
  EXPECT_EQ(knock->from, 0);
  EXPECT_EQ(knock->size, 1200);
}

TEST(Knock, is_answered_by_few_bytes_that_say_its_size) {
  const auto key = transport::JobKey::random();
  KnockCipher first(key, 0, 2);
  KnockCipher second(key, 1, 2);
  auto answer = second.seal({.answer = true, .from = 1, .to = 0, .size = 1472});
  EXPECT_EQ(answer.size(), least_knock_bytes);
  const auto read = first.open(answer);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->answer);
  EXPECT_EQ(read->size, 1472);
}

TEST(Knock, counts_for_nothing_if_one_bit_of_it_is_another_or_bytes_lack_or_the_key_is_another) {
  const auto key = transport::JobKey::random();
  KnockCipher first(key, 0, 2);
  KnockCipher second(key, 1, 2);
  const auto datagram = first.seal({.answer = false, .from = 0, .to = 1, .size = 64});
  for (std::size_t bit = 0; bit < 8 * datagram.size(); ++bit) {
    auto wrong = datagram;
    wrong[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(second.open(wrong)) << bit;
  }
  for (std::size_t bytes = 0; bytes < datagram.size(); ++bytes) {
    auto cut = datagram;
    EXPECT_FALSE(second.open(std::span(cut).first(bytes))) << bytes;
  }
  KnockCipher stranger(transport::JobKey::random(), 1, 2);
  auto copy = datagram;
  EXPECT_FALSE(stranger.open(copy));
}

}  // namespace
}  // namespace lbsp::check
