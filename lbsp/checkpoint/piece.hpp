#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::checkpoint {

/// A state as bytes, with what it takes to know them again. They are followed by zeros, so that they can be cut into
/// pieces of one length.
struct Image {
  Bytes bytes;               ///< with the zeros
  std::uint64_t length = 0;  ///< without
  std::uint64_t checksum = 0;
};

/// Image of these bytes, for pieces of which `needed` restore it.
Image make_image(Bytes bytes, int needed);
/// CRC-64 (ECMA-182, reflected).
std::uint64_t checksum_of(const Bytes& bytes);

/// What every piece says of itself. It travels as it lies in memory.
struct PieceHead {
  std::uint64_t serial = 0;    ///< of the checkpoint
  std::uint64_t length = 0;    ///< of the image
  std::uint64_t checksum = 0;  ///< of the image
  std::uint32_t of = 0;        ///< the rank whose state it is of, in the world that took the checkpoint
  std::uint32_t index = 0;
};

struct Piece {
  PieceHead head;
  Bytes bytes;
};

/// The piece as one message, and back. Throws Error if it is too short to be one.
Bytes message_of(const Piece& piece);
Piece piece_of_message(const Bytes& message);

/// Of an image that was made for so many pieces. Those from `needed` on are coded.
Bytes piece_of(const Image& image, int needed, int index);

/// The image that these pieces, `needed` of them and all different, are of; its bytes without zeros. Throws Error if
/// they are not what they were.
Bytes join(std::vector<Piece> pieces, int needed);

}  // namespace lbsp::checkpoint
