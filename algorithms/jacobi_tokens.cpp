#include "algorithms/jacobi_tokens.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>

#include "algorithms/hashed_matrix.hpp"
#include "algorithms/jacobi_sweep.hpp"
#include "lbsp/partition.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using dataflow::Inputs;
using dataflow::Outputs;

/// The piece, its first row and its last one: what every token writes.
void write_piece(std::span<const double> values, std::size_t columns, Outputs& out) {
  out.write<double>(0, values);
  out.write<double>(1, values.first(columns));
  out.write<double>(2, values.last(columns));
}

/// Its numbers: the seed, the first row, the rows and the columns.
void make_piece(const Inputs& in, Outputs& out) {
  const auto number = [&](std::size_t which) { return static_cast<std::size_t>(in.number(which)); };
  const HashedMatrix points(number(0), 0);
  std::vector<double> values;
  for (std::size_t i = 0; i < number(2); ++i)
    for (std::size_t j = 0; j < number(3); ++j)
      values.push_back(points.at<double>(number(1) + i, j));
  write_piece(values, number(3), out);
}

/// Its numbers: the columns, and whether there is a piece above and below. It reads its piece, then the row above and
/// the row below, if any.
void sweep_piece(const Inputs& in, Outputs& out) {
  const auto columns = static_cast<std::size_t>(in.number(0));
  const bool above = in.number(1) != 0;
  const bool below = in.number(2) != 0;
  const auto piece = in.values<double>(0);
  std::vector<double> old;
  if (above) old.insert(old.end(), in.values<double>(1).begin(), in.values<double>(1).end());
  old.insert(old.end(), piece.begin(), piece.end());
  const std::size_t last = above ? 2 : 1;
  if (below) old.insert(old.end(), in.values<double>(last).begin(), in.values<double>(last).end());
  std::vector<double> swept = old;
  const std::size_t rows = old.size() / columns;
  if (rows > 2) jacobi_sweep({old, swept, columns}, {{1, rows - 2}, {1, columns - 2}});
  write_piece(std::span<const double>(swept).subspan(above ? columns : 0, piece.size()), columns, out);
}

void check(const RelaxationTokens& relaxation) {
  if (relaxation.size < 3) throw UsageError("a grid to relax has at least 3 x 3 points: give a larger one");
  if (relaxation.pieces == 0 || relaxation.pieces > relaxation.size) {
    throw UsageError(fmt::format("{} pieces of {} rows: give at least 1 and at most as many as rows",
                                 relaxation.pieces, relaxation.size));
  }
}

}  // namespace

std::vector<double> RelaxationTokens::input() const {
  const HashedMatrix points(seed, 0);
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      values.push_back(points.at<double>(i, j));
  return values;
}

dataflow::Graph jacobi_graph(const RelaxationTokens& relaxation) {
  check(relaxation);
  dataflow::Graph graph;
  const auto make = graph.kernel("make", make_piece);
  const auto sweep = graph.kernel("sweep", sweep_piece);
  const auto columns = static_cast<std::int64_t>(relaxation.size);
  const std::uint64_t row_bytes = relaxation.size * sizeof(double);
  const auto grid = [&](std::size_t level, std::size_t piece) {
    return level == relaxation.sweeps ? fmt::format("grid/{}", piece)
                                      : fmt::format("grid/{}/{}", level, piece);
  };
  const auto writes = [&](dataflow::Graph::TokenCall token, std::size_t level, std::size_t piece,
                          std::size_t rows) {
    token.writes(grid(level, piece), rows * row_bytes)
        .writes(fmt::format("top/{}/{}", level, piece), row_bytes)
        .writes(fmt::format("bottom/{}/{}", level, piece), row_bytes);
  };
  for (std::size_t level = 0; level <= relaxation.sweeps; ++level) {
    for (std::size_t piece = 0; piece < relaxation.pieces; ++piece) {
      const Range rows =
          part_of(relaxation.size, static_cast<int>(relaxation.pieces), static_cast<int>(piece));
      auto token = graph.token(fmt::format("{}/{}", level, piece), level == 0 ? make : sweep);
      writes(token, level, piece, rows.count);
      if (level == 0) {
        token.with({static_cast<std::int64_t>(relaxation.seed), static_cast<std::int64_t>(rows.begin),
                    static_cast<std::int64_t>(rows.count), columns});
        graph.result(fmt::format("grid/{}", piece));
        continue;
      }
      const bool above = piece > 0;
      const bool below = piece + 1 < relaxation.pieces;
      token.with({columns, above ? 1 : 0, below ? 1 : 0}).reads(grid(level - 1, piece));
      if (above) token.reads(fmt::format("bottom/{}/{}", level - 1, piece - 1));
      if (below) token.reads(fmt::format("top/{}/{}", level - 1, piece + 1));
    }
  }
  return graph;
}

std::vector<double> jacobi_result(const dataflow::RunRecord& record, const RelaxationTokens& relaxation) {
  std::vector<double> whole;
  for (std::size_t piece = 0; piece < relaxation.pieces; ++piece) {
    const auto values = record.result<double>(fmt::format("grid/{}", piece));
    whole.insert(whole.end(), values.begin(), values.end());
  }
  return whole;
}

}  // namespace lbsp::algorithms
