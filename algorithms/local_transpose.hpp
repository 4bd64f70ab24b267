#pragma once

#include <algorithm>
#include <cstddef>

namespace lbsp::algorithms {

/// The rows of a matrix to read; they stand `stride` elements apart.
template <class T>
struct ReadRows {
  const T* first;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;
};

/// Where rows are written, `stride` elements apart.
template <class T>
struct WriteRows {
  T* first;
  std::size_t stride;
};

/// Writes the transpose of `from`. The two must not overlap. Works by tiles that fit into the first-level
/// cache on both sides.
template <class T>
void transpose_into(const ReadRows<T>& from, const WriteRows<T>& to) {
  constexpr std::size_t tile = 16;
  for (std::size_t top = 0; top < from.rows; top += tile) {
    const std::size_t bottom = std::min(top + tile, from.rows);
    for (std::size_t left = 0; left < from.columns; left += tile) {
      const std::size_t right = std::min(left + tile, from.columns);
      for (std::size_t column = left; column < right; ++column) {
        for (std::size_t row = top; row < bottom; ++row)
          to.first[column * to.stride + row] = from.first[row * from.stride + column];
      }
    }
  }
}

}  // namespace lbsp::algorithms
