#include "algorithms/fft2d.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "algorithms/local_transpose.hpp"
#include "algorithms/matrix_part.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {

Rectangle rows_of_rank(std::size_t rows, std::size_t columns, Rank rank, Rank ranks) {
  return {part_of(rows, ranks, rank), {0, columns}};
}

template <class T>
Fft2d<T>::Fft2d(World& world, std::size_t rows, std::size_t columns, const Fft2dOptions& options)
    : world_(world),
      options_(options),
      rows_(rows),
      columns_(columns),
      own_rows_(part_of(rows, world.size(), world.rank())),
      own_columns_(part_of(columns, world.size(), world.rank())),
      row_transforms_(columns, own_rows_.count, options.direction, options.planning),
      column_transforms_(rows, own_columns_.count, options.direction, options.planning),
      queue_(world) {
  for (const std::uint64_t value : {rows, columns, static_cast<std::size_t>(options.transposed),
                                    static_cast<std::size_t>(options.direction)})
    world.agree(value);
}

template <class T>
void Fft2d<T>::transform(std::vector<Element>& values, const std::optional<Keep>& keep) {
  if (keep) return transform_in_steps(values, *keep);
  step(0, values);
  if (!options_.transposed) step(1, values);
}

template <class T>
void Fft2d<T>::step(std::uint64_t number, std::vector<Element>& values) {
  if (number == 1) return exchange(values, columns_, rows_);
  row_transforms_.transform(values);
  exchange(values, rows_, columns_);
  column_transforms_.transform(values);
  if (options_.direction == Direction::inverse) {
    const T scale = T{1} / (static_cast<T>(rows_) * static_cast<T>(columns_));
    for (Element& value : values)
      value *= scale;
  }
}

/// All that is ever kept is what there is before the second step: whole columns.
template <class T>
void Fft2d<T>::transform_in_steps(std::vector<Element>& values, const Keep& keep) {
  const auto columns_of = [this](Rank rank) { return rows_of_rank(columns_, rows_, rank, world_.size()); };
  using Part = MatrixPart<Element>;
  Part part{columns_of(world_.rank()), std::move(values)};
  Steps<Part> steps(world_, part, options_.transposed ? 1 : 2, keep);
  if (steps.first() > 0) {
    std::vector<Part> parts{std::move(part)};
    for (const auto& lost : steps.inherited())
      parts.push_back(lost.state);
    part = {columns_of(world_.rank()), redistribute<Element>(world_, parts, columns_of)};
  }
  for (const std::uint64_t number : steps)
    step(number, part.values);
  values = std::move(part.values);
}

/// From this rank's rows of a matrix of `height` × `width` to its columns, one after the other.
template <class T>
void Fft2d<T>::exchange(std::vector<Element>& values, std::size_t height, std::size_t width) {
  const Rank self = world_.rank();
  const Rank ranks = world_.size();
  const Range own = part_of(height, ranks, self);
  const Range wanted = part_of(width, ranks, self);
  // Each rank begins with its successor, so that no receiver is hit by all at once.
  for (Rank step = 1; step < ranks; ++step) {
    const Rank to = (self + step) % ranks;
    const Range theirs = part_of(width, ranks, to);
    if (own.count == 0 || theirs.count == 0) continue;
    auto packed = queue_.send_in_place(to, 0, own.count * theirs.count).begin();
    for (std::size_t row = 0; row < own.count; ++row) {
      packed = std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * width + theirs.begin),
                           theirs.count, packed);
    }
  }
  world_.sync();
  work_.resize(wanted.count * height);
  if (!values.empty() && !work_.empty()) {
    transpose_into<Element>({values.data() + wanted.begin, own.count, wanted.count, width},
                            {work_.data() + own.begin, height});
  }
  for (const auto message : queue_) {
    const Range theirs = part_of(height, ranks, message.source());
    transpose_into<Element>({message.values().data(), theirs.count, wanted.count, wanted.count},
                            {work_.data() + theirs.begin, height});
  }
  values.swap(work_);
}

template class Fft2d<float>;
template class Fft2d<double>;

}  // namespace lbsp::algorithms
