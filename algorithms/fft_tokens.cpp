#include "algorithms/fft_tokens.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numbers>
#include <string>
#include <utility>

#include "algorithms/hashed_matrix.hpp"
#include "algorithms/local_fft.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using Complex = std::complex<double>;
using dataflow::Inputs;
using dataflow::Outputs;

Complex value_at(std::uint64_t seed, std::uint64_t index) {
  return {HashedMatrix(seed, 0).at<double>(0, index), HashedMatrix(seed, 1).at<double>(0, index)};
}

std::size_t reversed(std::size_t index, std::size_t pieces) {
  std::size_t result = 0;
  for (std::size_t bit = 1; bit < pieces; bit *= 2)
    result = 2 * result + ((index & bit) != 0 ? 1 : 0);
  return result;
}

/// Its numbers: the seed, the first value, the step from one to the next, and how many.
void transform_part(const Inputs& in, Outputs& out) {
  const auto number = [&](std::size_t which) { return static_cast<std::uint64_t>(in.number(which)); };
  auto values = out.make<Complex>(0, number(3));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = value_at(number(0), number(1) + i * number(2));
  LocalFft<double>(values.size(), 1, Direction::forward).transform(values);
}

/// X = E ± w O with w_k = e^(-2πi k/length). Its numbers: the first k, the length of X, and whether it is minus.
void butterfly(const Inputs& in, Outputs& out) {
  const auto even = in.values<Complex>(0);
  const auto odd = in.values<Complex>(1);
  auto values = out.make<Complex>(0, even.size());
  const double turn = -2 * std::numbers::pi / static_cast<double>(in.number(1));
  const double sign = in.number(2) != 0 ? -1 : 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto k = static_cast<double>(static_cast<std::size_t>(in.number(0)) + i);
    values[i] = even[i] + sign * std::polar(1., turn * k) * odd[i];
  }
}

void check(const TransformTokens& transform) {
  if (!std::has_single_bit(transform.pieces)) {
    throw UsageError(fmt::format("{} pieces: a transform has a power of two of them", transform.pieces));
  }
  if (transform.points == 0 || transform.points % transform.pieces != 0) {
    throw UsageError(fmt::format("{} points in {} pieces: give a multiple of the pieces", transform.points,
                                 transform.pieces));
  }
}

}  // namespace

std::vector<Complex> TransformTokens::input() const {
  std::vector<Complex> values;
  for (std::size_t i = 0; i < points; ++i)
    values.push_back(value_at(seed, i));
  return values;
}

dataflow::Graph fft_graph(const TransformTokens& transform) {
  check(transform);
  dataflow::Graph graph;
  const auto load = graph.kernel("transform", transform_part);
  const auto combine = graph.kernel("butterfly", butterfly);
  const std::size_t length = transform.points / transform.pieces;
  const std::uint64_t bytes = length * sizeof(Complex);
  const auto stream = [&](std::size_t distance, std::size_t piece) {
    return distance == transform.pieces ? fmt::format("X/{}", piece)
                                        : fmt::format("x/{}/{}", distance, piece);
  };
  for (std::size_t piece = 0; piece < transform.pieces; ++piece) {
    graph.token(fmt::format("transform/{}", piece), load)
        .with({static_cast<std::int64_t>(transform.seed),
               static_cast<std::int64_t>(reversed(piece, transform.pieces)),
               static_cast<std::int64_t>(transform.pieces), static_cast<std::int64_t>(length)})
        .writes(stream(1, piece), bytes);
    graph.result(fmt::format("X/{}", piece));
  }
  // Of 2·distance neighbouring pieces the first half holds E and the second O, each in order.
  for (std::size_t distance = 1; distance < transform.pieces; distance *= 2) {
    for (std::size_t piece = 0; piece < transform.pieces; ++piece) {
      const std::size_t even = piece & ~distance;
      graph.token(fmt::format("butterfly/{}/{}", distance, piece), combine)
          .with({static_cast<std::int64_t>(even % (2 * distance) * length),
                 static_cast<std::int64_t>(2 * distance * length), (piece & distance) != 0 ? 1 : 0})
          .reads(stream(distance, even))
          .reads(stream(distance, even | distance))
          .writes(stream(2 * distance, piece), bytes);
    }
  }
  return graph;
}

std::vector<Complex> fft_result(const dataflow::RunRecord& record, const TransformTokens& transform) {
  std::vector<Complex> whole;
  for (std::size_t piece = 0; piece < transform.pieces; ++piece) {
    const auto values = record.result<Complex>(fmt::format("X/{}", piece));
    whole.insert(whole.end(), values.begin(), values.end());
  }
  return whole;
}

}  // namespace lbsp::algorithms
