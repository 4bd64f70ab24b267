#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/rectangle.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// A matrix that one rank holds whole, row by row. The owner of `values` must outlive it.
template <class T>
struct WholeMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::span<const T> values;
};

/// A rank's rectangle of a matrix, row by row without gaps, and the sizes of that matrix.
template <class T>
struct DealtRectangle {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<T> values;
};

/// Says which rectangle of a `rows` × `columns` matrix a rank has. Rectangles may overlap and may be empty.
using RectangleOf = std::function<Rectangle(std::size_t rows, std::size_t columns, Rank rank)>;

/// Copies a rectangle out of a whole matrix.
template <class T>
std::vector<T> cut(const WholeMatrix<T>& matrix, const Rectangle& rectangle);

/// Shares out rank 0's matrix. The `matrix` of the other ranks is ignored; they learn the sizes from rank 0.
/// All ranks call it together. T is float or double, real or complex.
///
/// Cost: one superstep, in which rank 0 sends every rectangle except its own. Throws UsageError if `values`
/// does not have rows · columns elements.
template <class T>
DealtRectangle<T> deal(World& world, const WholeMatrix<T>& matrix, const RectangleOf& rectangle_of);

/// Collects a matrix from its rectangles: returns it whole, row by row, on rank 0, and nothing on the other
/// ranks. All ranks call it together, with the same sizes. T is float or double, real or complex.
///
/// Cost: one superstep, in which rank 0 receives every rectangle except its own. Throws UsageError if the
/// ranks disagree about a size.
template <class T>
std::vector<T> collect(World& world, const WholeMatrix<T>& own, const RectangleOf& rectangle_of);

}  // namespace lbsp::algorithms
