// States of ranks that were kept: files, and pieces that others send. The first byte chooses; where its lowest bit is
// set, checksums are made to hold, so that what lies behind them is reached.
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "lbsp/checkpoint/folder.hpp"
#include "lbsp/checkpoint/piece.hpp"
#include "lbsp/image.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tests/support/temporary_folder.hpp"

namespace lbsp::checkpoint {
namespace {

using fuzz::require;

struct State {
  template <class All>
  void fields(All& all) {
    all(step, points, names, counts);
  }
  std::uint64_t step = 0;
  std::vector<double> points;
  std::vector<std::string> names;
  std::map<std::uint32_t, std::pair<std::string, std::uint8_t>> counts;
};

/// What a file begins with (lbsp/checkpoint/folder.cpp), in places of eight bytes.
struct Head {
  static constexpr std::size_t bytes = 128;
  static constexpr std::size_t generation = 8;
  static constexpr std::size_t serial = 16;
  static constexpr std::size_t rank = 32;
  static constexpr std::size_t checksum = 48;
  static constexpr std::size_t own = 120;
};

template <class Number>
Number number_at(const Bytes& bytes, std::size_t place) {
  Number number{};
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

void put(Bytes& bytes, std::size_t place, std::uint64_t number) {
  std::memcpy(bytes.data() + place, &number, sizeof number);
}

void make_checksums_hold(Bytes& file) {
  const auto body = file.begin() + Head::bytes;
  put(file, Head::checksum, checksum_of({body, file.end()}));
  put(file, Head::own, checksum_of({file.begin(), file.begin() + Head::own}));
}

void read_file(Bytes file, bool checksums_hold) {
  static const test::TemporaryFolder scratch;
  Place place{0, 1};
  Rank rank = 0;
  if (file.size() >= Head::bytes) {
    place = {number_at<std::uint64_t>(file, Head::generation), number_at<std::uint64_t>(file, Head::serial)};
    rank = number_at<Rank>(file, Head::rank);
    if (checksums_hold) make_checksums_hold(file);
  }
  const auto name = scratch.path() / fmt::format("state-{}-{}.{}", place.generation, place.serial, rank);
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  const Folder folder(scratch.path());
  auto state = folder.read(place, rank);
  require(rank < 0 || folder.of_rank(rank) == std::vector<Place>{place}, "a file is found by its name");
  std::filesystem::remove(name);
  if (!state) return;
  require(state->bytes.size() + Head::bytes == file.size(), "a state is all that follows the head");
  require(state->what.place == place && state->what.rank == rank && rank < state->what.ranks,
          "a state is that of its name, and of a world that can be");
  State value;
  fuzz::read_or_refuse([&] {
    restore(value, state->bytes);
    require(image_of(value).size() <= state->bytes.size(), "a value has no more than its bytes told");
  });
}

/// Each begins with its head, and has as many bytes as the byte after that says.
void join_pieces(const Bytes& input, bool checksum_holds) {
  constexpr std::size_t head_bytes = sizeof(PieceHead);
  std::vector<Piece> pieces;
  for (std::size_t at = 1; at + head_bytes < input.size();) {
    Piece piece;
    std::memcpy(&piece.head, input.data() + at, head_bytes);
    at += head_bytes;
    const auto length = std::min(static_cast<std::size_t>(input[at]), input.size() - at - 1);
    const auto first = input.begin() + static_cast<std::ptrdiff_t>(at + 1);
    piece.bytes.assign(first, first + static_cast<std::ptrdiff_t>(length));
    at += 1 + length;
    pieces.push_back(std::move(piece));
  }
  if (pieces.empty()) return;
  const int needed = 1 + static_cast<int>(input[0]) % 8;
  const std::size_t arrived = pieces.front().bytes.size() * static_cast<std::size_t>(needed);
  if (checksum_holds) {
    // Of the state that the first pieces are, if they are its parts.
    Bytes whole;
    for (const Piece& piece : pieces)
      whole.insert(whole.end(), piece.bytes.begin(), piece.bytes.end());
    whole.resize(std::min<std::uint64_t>(pieces.front().head.length, whole.size()));
    for (Piece& piece : pieces)
      piece.head.checksum = checksum_of(whole);
  }
  fuzz::read_or_refuse(
      [&] { require(join(std::move(pieces), needed).size() <= arrived, "a state is made of what came"); });
}

}  // namespace
}  // namespace lbsp::checkpoint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rest = lbsp::fuzz::bytes_of(data + 1, size - 1);
  const bool holds = (data[0] & 1U) != 0;
  if ((data[0] & 2U) != 0) {
    lbsp::checkpoint::join_pieces({rest.begin(), rest.end()}, holds);
  } else {
    lbsp::checkpoint::read_file({rest.begin(), rest.end()}, holds);
  }
  return 0;
}
