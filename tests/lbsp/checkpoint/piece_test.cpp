#include "lbsp/checkpoint/piece.hpp"

#include <gtest/gtest.h>

#include "transport/error.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::checkpoint {
namespace {

Bytes some_state(std::size_t length) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::byte>(transport::splitmix(i));
  return bytes;
}

Piece some_piece(const Image& image, int needed, int index) {
  return {{.serial = 1,
           .length = image.length,
           .checksum = image.checksum,
           .of = 4,
           .index = static_cast<std::uint32_t>(index)},
          piece_of(image, needed, index)};
}

TEST(Piece, any_so_many_of_all_restore_the_state) {
  constexpr int needed = 3;
  for (const std::size_t length : {0U, 1U, 2U, 3U, 100U, 1001U}) {
    const Image image = make_image(some_state(length), needed);
    for (int a = 0; a < 6; ++a) {
      for (int b = 0; b < a; ++b) {
        for (int c = 0; c < b; ++c) {
          const auto joined =
              join({some_piece(image, needed, a), some_piece(image, needed, c), some_piece(image, needed, b)},
                   needed);
          EXPECT_EQ(joined, some_state(length)) << length << ": " << a << " " << b << " " << c;
        }
      }
    }
  }
}

TEST(Piece, has_its_part_of_the_bytes) {
  const Image image = make_image(some_state(1001), 4);
  for (int index = 0; index < 6; ++index)
    EXPECT_EQ(piece_of(image, 4, index).size(), 251U);
}

TEST(Piece, that_has_changed_is_found) {
  const Image image = make_image(some_state(1000), 2);
  Piece changed = some_piece(image, 2, 1);
  changed.bytes[17] ^= std::byte{1};
  EXPECT_THROW(join({some_piece(image, 2, 0), changed}, 2), Error);
  Piece shorter = some_piece(image, 2, 1);
  shorter.bytes.pop_back();
  EXPECT_THROW(join({some_piece(image, 2, 0), shorter}, 2), Error);
  EXPECT_THROW(join({some_piece(image, 2, 0)}, 2), Error);
  EXPECT_THROW(join({some_piece(image, 2, 0), some_piece(image, 2, 0)}, 2), Error);
}

}  // namespace
}  // namespace lbsp::checkpoint
