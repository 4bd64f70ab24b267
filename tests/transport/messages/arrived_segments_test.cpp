#include "transport/messages/arrived_segments.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

TEST(ArrivedSegments, are_none_at_first) {
  const ArrivedSegments arrived(130);
  EXPECT_EQ(arrived.segments(), 130U);
  EXPECT_EQ(arrived.count(), 0U);
  EXPECT_EQ(arrived.missing(), 130U);
  EXPECT_EQ(arrived.first_missing(), 0U);
  EXPECT_EQ(arrived.end(), 0U);
  EXPECT_TRUE(arrived.in_order());
  EXPECT_FALSE(arrived.has(129));
}

TEST(ArrivedSegments, may_come_in_any_order) {
  ArrivedSegments arrived(130);
  for (const std::uint32_t segment : {64U, 129U, 1U, 63U})
    arrived.add(segment);
  EXPECT_EQ(arrived.count(), 4U);
  EXPECT_EQ(arrived.first_missing(), 0U);
  EXPECT_EQ(arrived.end(), 130U);
  EXPECT_TRUE(arrived.has(63));
  EXPECT_TRUE(arrived.has(64));
  EXPECT_FALSE(arrived.has(65));
  EXPECT_EQ(arrived.missing_in(62, 66), 2U);
  arrived.add(0);
  EXPECT_EQ(arrived.first_missing(), 2U);
  EXPECT_FALSE(arrived.in_order());
}

TEST(ArrivedSegments, are_all_when_none_is_missing) {
  ArrivedSegments arrived(65);
  for (std::uint32_t segment = 65; segment-- > 0;)
    arrived.add(segment);
  EXPECT_EQ(arrived.missing(), 0U);
  EXPECT_EQ(arrived.first_missing(), 65U);
  EXPECT_EQ(arrived.missing_in(0, 65), 0U);
}

TEST(ArrivedSegments, are_told_bit_by_bit_from_any_one_on) {
  ArrivedSegments arrived(40);
  for (const std::uint32_t segment : {3U, 5U, 14U, 15U})
    arrived.add(segment);
  std::array<std::byte, 3> bitmap{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  arrived.write(3, 12, bitmap);
  EXPECT_EQ(bitmap[0], std::byte{0b0000'0101});
  EXPECT_EQ(bitmap[1], std::byte{0b0000'1000}) << "segment 15 is one too many";
  EXPECT_EQ(bitmap[2], std::byte{0xff}) << "is not of these";
}

}  // namespace
}  // namespace lbsp::transport
