#include "transport/messages/block_code.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <isa-l.h>

#include "transport/redundancy.hpp"

namespace lbsp::transport {
namespace {

constexpr std::size_t table_bytes = 32;  // of one coefficient, for ISA-L

std::uint8_t coefficient(int coded_index, std::size_t segment) {
  return gf_inv(static_cast<std::uint8_t>((most_block_segments + coded_index) ^ static_cast<int>(segment)));
}

/// ISA-L does not say const.
std::uint8_t* bytes_of(std::span<const std::byte> bytes) {
  return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

using Pointers = std::vector<std::uint8_t*>;

/// targets[t] += Σ_s matrix[t][s] · sources[s] over `length` bytes.
void add_products(std::size_t length, const Pointers& sources, std::vector<std::uint8_t>& matrix,
                  Pointers& targets) {
  const auto rows = static_cast<int>(targets.size());
  const auto columns = static_cast<int>(sources.size());
  std::vector<std::uint8_t> tables(table_bytes * matrix.size());
  ec_init_tables(columns, rows, matrix.data(), tables.data());
  for (int s = 0; s < columns; ++s) {
    ec_encode_data_update(static_cast<int>(length), columns, rows, s, tables.data(),
                          sources[static_cast<std::size_t>(s)], targets.data());
  }
}

/// targets[t] = Σ_s matrix[t][s] · sources[s].
void set_products(std::size_t length, Pointers& sources, std::vector<std::uint8_t>& matrix,
                  Pointers& targets) {
  const auto rows = static_cast<int>(targets.size());
  const auto columns = static_cast<int>(sources.size());
  std::vector<std::uint8_t> tables(table_bytes * matrix.size());
  ec_init_tables(columns, rows, matrix.data(), tables.data());
  ec_encode_data(static_cast<int>(length), columns, rows, tables.data(), sources.data(), targets.data());
}

std::vector<std::uint8_t> coefficients(std::span<const CodedSegment> coded,
                                       std::span<const std::uint32_t> segments) {
  std::vector<std::uint8_t> matrix;
  matrix.reserve(coded.size() * segments.size());
  for (const CodedSegment& row : coded) {
    for (const std::uint32_t segment : segments)
      matrix.push_back(coefficient(row.index, segment));
  }
  return matrix;
}

/// Takes the segments that are there out of the coded ones: what is left is made of the missing ones alone.
void subtract_present(std::span<const std::span<std::byte>> segments, std::span<const std::uint32_t> missing,
                      std::span<const CodedSegment> coded, Pointers& rests) {
  // A short last segment goes by itself, so that nothing has to be padded.
  const std::size_t whole = segments.front().size();
  std::vector<std::uint32_t> full;
  for (std::uint32_t j = 0; j < segments.size(); ++j) {
    if (std::ranges::binary_search(missing, j)) continue;
    if (segments[j].size() == whole) {
      full.push_back(j);
      continue;
    }
    const std::uint32_t last[] = {j};
    auto matrix = coefficients(coded, last);
    add_products(segments[j].size(), {bytes_of(segments[j])}, matrix, rests);
  }
  if (full.empty()) return;
  Pointers sources;
  for (const std::uint32_t j : full)
    sources.push_back(bytes_of(segments[j]));
  auto matrix = coefficients(coded, full);
  add_products(whole, sources, matrix, rests);
}

}  // namespace

/// A datagram waits for it: it asks for no memory.
void encode_segment(std::span<const std::span<const std::byte>> segments, int index,
                    std::span<std::byte> coded) {
  const bool short_last = segments.back().size() < coded.size();
  const std::size_t full = segments.size() - (short_last ? 1 : 0);
  std::array<std::uint8_t*, most_block_segments> sources;
  std::array<std::uint8_t, most_block_segments> row;
  std::array<std::uint8_t, table_bytes * most_block_segments> tables;
  std::uint8_t* target = bytes_of(coded);
  for (std::size_t j = 0; j < segments.size(); ++j) {
    sources[j] = bytes_of(segments[j]);
    row[j] = coefficient(index, j);
  }
  if (full > 0) {
    ec_init_tables(static_cast<int>(full), 1, row.data(), tables.data());
    ec_encode_data(static_cast<int>(coded.size()), static_cast<int>(full), 1, tables.data(), sources.data(),
                   &target);
  } else {
    std::ranges::fill(coded, std::byte{0});
  }
  if (!short_last || segments.back().empty()) return;
  ec_init_tables(1, 1, &row[full], tables.data());
  ec_encode_data_update(static_cast<int>(segments.back().size()), 1, 1, 0, tables.data(), sources[full],
                        &target);
}

void decode_segments(std::span<const std::span<std::byte>> segments, std::span<const std::uint32_t> missing,
                     std::vector<CodedSegment>& coded) {
  coded.resize(missing.size());
  const std::size_t whole = segments.front().size();
  Pointers rests;
  for (CodedSegment& row : coded)
    rests.push_back(bytes_of(row.bytes));
  subtract_present(segments, missing, coded, rests);

  const auto lacking = static_cast<int>(missing.size());
  auto matrix = coefficients(coded, missing);
  std::vector<std::uint8_t> inverse(matrix.size());
  gf_invert_matrix(matrix.data(), inverse.data(), lacking);

  Bytes last;  // what a short segment's place has no room for
  Pointers targets;
  for (const std::uint32_t j : missing) {
    if (segments[j].size() == whole) {
      targets.push_back(bytes_of(segments[j]));
    } else {
      last.resize(whole);
      targets.push_back(bytes_of(last));
    }
  }
  set_products(whole, rests, inverse, targets);
  if (!last.empty()) {
    const std::span<std::byte> place = segments[missing.back()];
    std::memcpy(place.data(), last.data(), place.size());
  }
}

}  // namespace lbsp::transport
