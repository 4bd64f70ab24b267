#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "byte_values.hpp"
#include "transport/wire/byte_order.hpp"

namespace lbsp::transport {
namespace {

using testing::values;

TEST(Varint, is_that_of_rfc_9000) {
  // Its appendix A.1.
  const std::vector<std::pair<std::uint64_t, std::vector<int>>> samples = {
      {151'288'809'941'952'652, {0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c}},
      {494'878'333, {0x9d, 0x7f, 0x3e, 0x7d}},
      {15'293, {0x7b, 0xbd}},
      {37, {0x25}},
  };
  for (const auto& [value, expected] : samples) {
    std::array<std::byte, 8> bytes{};
    WireWriter out(bytes);
    out.put_varint(value);
    EXPECT_EQ(values(std::span(bytes).first(out.written())), expected);
    EXPECT_EQ(varint_bytes(value), expected.size());
  }
}

TEST(Varint, reads_back_at_the_edges_of_its_lengths_and_refuses_what_is_cut_short) {
  for (const int bits : {0, 1, 6, 14, 30, 62}) {
    for (const std::uint64_t value : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits % 62}) {
      std::array<std::byte, 8> bytes{};
      WireWriter out(bytes);
      out.put_varint(value);
      EXPECT_EQ(out.written(), varint_bytes(value));
      WireReader in(std::span<const std::byte>(bytes).first(out.written()));
      EXPECT_EQ(in.get_varint(), value);
      EXPECT_TRUE(in.ok());
      WireReader cut(std::span<const std::byte>(bytes).first(out.written() - 1));
      EXPECT_EQ(cut.get_varint(), 0u);
      EXPECT_FALSE(cut.ok());
    }
  }
}

TEST(Varint, that_is_longer_than_it_need_be_is_refused) {
  // RFC 9000, appendix A.1: 0x4025 also decodes to 37.
  const std::array bytes{std::byte{0x40}, std::byte{0x25}};
  WireReader in(bytes);
  EXPECT_EQ(in.get_varint(), 0u);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace lbsp::transport
