#include "lbsp/checkpoint/piece.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <isa-l.h>
#include <span>
#include <utility>

#include "lbsp/checkpoint/layout.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/messages/block_code.hpp"

namespace lbsp::checkpoint {
namespace {

std::size_t piece_bytes(std::uint64_t length, int needed) {
  const auto parts = static_cast<std::uint64_t>(needed);
  return static_cast<std::size_t>((length + parts - 1) / parts);
}

template <class Byte>
std::vector<std::span<Byte>> parts_of(std::span<Byte> all, std::size_t each, int count) {
  std::vector<std::span<Byte>> parts;
  for (std::size_t part = 0; part < static_cast<std::size_t>(count); ++part)
    parts.push_back(all.subspan(part * each, each));
  return parts;
}

[[noreturn]] void throw_damaged(const PieceHead& head) {
  throw Error(
      fmt::format("the state that was kept of rank {} is damaged: look at the memory of the hosts", head.of));
}

}  // namespace

std::uint64_t checksum_of(const Bytes& bytes) {
  return crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

Image make_image(Bytes bytes, int needed) {
  Image image{.bytes = std::move(bytes)};
  image.length = image.bytes.size();
  image.checksum = checksum_of(image.bytes);
  if (needed > 0) image.bytes.resize(piece_bytes(image.length, needed) * static_cast<std::size_t>(needed));
  std::fill(image.bytes.begin() + static_cast<std::ptrdiff_t>(image.length), image.bytes.end(), std::byte{0});
  return image;
}

Bytes piece_of(const Image& image, int needed, int index) {
  const std::size_t each = piece_bytes(image.length, needed);
  const auto parts = parts_of(std::span(image.bytes), each, needed);
  if (index < needed) {
    const auto part = parts[static_cast<std::size_t>(index)];
    return {part.begin(), part.end()};
  }
  Bytes coded(each);
  if (each > 0) transport::encode_segment(parts, index - needed, coded);
  return coded;
}

Bytes message_of(const Piece& piece) {
  const auto head = std::as_bytes(std::span(&piece.head, 1));
  Bytes bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
  return bytes;
}

Piece piece_of_message(const Bytes& message) {
  Piece piece;
  if (message.size() < sizeof(piece.head))
    throw Error(
        fmt::format("a piece of a state has {}, fewer than its head: run the same build of the program on "
                    "every rank",
                    counted(message.size(), "byte")));
  std::memcpy(&piece.head, message.data(), sizeof(piece.head));
  piece.bytes.assign(message.begin() + sizeof(piece.head), message.end());
  return piece;
}

Bytes join(std::vector<Piece> pieces, int needed) {
  const auto index_of = [](const Piece& piece) { return piece.head.index; };
  std::ranges::sort(pieces, {}, index_of);
  const PieceHead head = pieces.front().head;
  // No more memory is taken than has arrived.
  const std::size_t each = pieces.front().bytes.size();
  if (needed < 1 || needed > Layout::most_pieces) throw_damaged(head);
  const bool fits =
      head.length <= each * static_cast<std::size_t>(needed) && piece_bytes(head.length, needed) == each;
  const bool all_differ = std::ranges::adjacent_find(pieces, {}, index_of) == pieces.end();
  if (!fits || !all_differ || pieces.back().head.index >= Layout::most_pieces) throw_damaged(head);
  Bytes image(each * static_cast<std::size_t>(needed));
  const auto parts = parts_of(std::span(image), each, needed);
  std::vector<std::uint32_t> missing;
  for (std::uint32_t part = 0; part < static_cast<std::uint32_t>(needed); ++part)
    missing.push_back(part);
  std::vector<transport::CodedSegment> coded;
  for (Piece& piece : pieces) {
    const PieceHead& said = piece.head;
    if (said.length != head.length || said.checksum != head.checksum || piece.bytes.size() != each)
      throw_damaged(head);
    if (said.index >= static_cast<std::uint32_t>(needed)) {
      coded.push_back({static_cast<int>(said.index) - needed, std::move(piece.bytes)});
    } else {
      std::ranges::copy(piece.bytes, parts[said.index].begin());
      std::erase(missing, said.index);
    }
  }
  if (coded.size() < missing.size()) throw_damaged(head);
  if (!missing.empty() && each > 0) transport::decode_segments(parts, missing, coded);
  image.resize(head.length);
  if (checksum_of(image) != head.checksum) throw_damaged(head);
  return image;
}

}  // namespace lbsp::checkpoint
