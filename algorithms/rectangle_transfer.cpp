#include "algorithms/rectangle_transfer.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <fmt/format.h>

#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

struct Size {
  std::uint64_t rows;
  std::uint64_t columns;
};

template <class T>
void paste(std::span<const T> values, const Rectangle& rectangle, std::size_t columns,
           std::vector<T>& whole) {
  for (std::size_t row = 0; row < rectangle.rows.count; ++row) {
    const std::size_t to = (rectangle.rows.begin + row) * columns + rectangle.columns.begin;
    std::ranges::copy(values.subspan(row * rectangle.columns.count, rectangle.columns.count),
                      whole.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

template <class T>
DealtRectangle<T> send_all(World& world, const WholeMatrix<T>& matrix, const RectangleOf& rectangle_of,
                           Queue<T, Size>& queue) {
  if (matrix.values.size() != matrix.rows * matrix.columns) {
    throw UsageError(fmt::format("a matrix of {} x {} was given {} elements: give all of them, row by row",
                                 matrix.rows, matrix.columns, matrix.values.size()));
  }
  for (Rank to = 1; to < world.size(); ++to) {
    queue.send(to, {matrix.rows, matrix.columns}, cut(matrix, rectangle_of(matrix.rows, matrix.columns, to)));
  }
  world.sync();
  return {matrix.rows, matrix.columns, cut(matrix, rectangle_of(matrix.rows, matrix.columns, 0))};
}

}  // namespace

template <class T>
std::vector<T> cut(const WholeMatrix<T>& matrix, const Rectangle& rectangle) {
  std::vector<T> values(rectangle.elements());
  auto to = values.begin();
  for (std::size_t row = rectangle.rows.begin; row < rectangle.rows.end(); ++row) {
    const std::size_t from = row * matrix.columns + rectangle.columns.begin;
    to = std::ranges::copy(matrix.values.subspan(from, rectangle.columns.count), to).out;
  }
  return values;
}

template <class T>
DealtRectangle<T> deal(World& world, const WholeMatrix<T>& matrix, const RectangleOf& rectangle_of) {
  Queue<T, Size> queue(world);
  if (world.rank() == 0) return send_all(world, matrix, rectangle_of, queue);
  world.sync();
  const auto message = queue[0];
  const auto values = message.values();
  return {message.tag().rows, message.tag().columns, {values.begin(), values.end()}};
}

template <class T>
std::vector<T> collect(World& world, const WholeMatrix<T>& own, const RectangleOf& rectangle_of) {
  const std::size_t elements = rectangle_of(own.rows, own.columns, world.rank()).elements();
  if (own.values.size() != elements) {
    throw UsageError(fmt::format("a rectangle of {} elements was given {}: leave their number as it was",
                                 elements, own.values.size()));
  }
  world.agree(own.rows);
  world.agree(own.columns);
  Queue<T> queue(world);
  if (world.rank() != 0) queue.send(0, 0, own.values);
  world.sync();
  if (world.rank() != 0) return {};

  std::vector<T> whole(own.rows * own.columns);
  paste(own.values, rectangle_of(own.rows, own.columns, 0), own.columns, whole);
  for (const auto message : queue) {
    paste(message.values(), rectangle_of(own.rows, own.columns, message.source()), own.columns, whole);
  }
  return whole;
}

template std::vector<float> cut(const WholeMatrix<float>&, const Rectangle&);
template DealtRectangle<float> deal(World&, const WholeMatrix<float>&, const RectangleOf&);
template std::vector<float> collect(World&, const WholeMatrix<float>&, const RectangleOf&);
template std::vector<double> cut(const WholeMatrix<double>&, const Rectangle&);
template DealtRectangle<double> deal(World&, const WholeMatrix<double>&, const RectangleOf&);
template std::vector<double> collect(World&, const WholeMatrix<double>&, const RectangleOf&);
template std::vector<std::complex<float>> cut(const WholeMatrix<std::complex<float>>&, const Rectangle&);
template DealtRectangle<std::complex<float>> deal(World&, const WholeMatrix<std::complex<float>>&,
                                                  const RectangleOf&);
template std::vector<std::complex<float>> collect(World&, const WholeMatrix<std::complex<float>>&,
                                                  const RectangleOf&);
template std::vector<std::complex<double>> cut(const WholeMatrix<std::complex<double>>&, const Rectangle&);
template DealtRectangle<std::complex<double>> deal(World&, const WholeMatrix<std::complex<double>>&,
                                                   const RectangleOf&);
template std::vector<std::complex<double>> collect(World&, const WholeMatrix<std::complex<double>>&,
                                                   const RectangleOf&);

}  // namespace lbsp::algorithms
