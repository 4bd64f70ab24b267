#pragma once

#include <functional>
#include <span>
#include <vector>

#include "algorithms/rectangle.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// A rectangle of a matrix with its elements, row by row without gaps: what a rank has of it.
template <class T>
struct MatrixPart {
  Rectangle place;
  std::vector<T> values;

  template <class All>
  void fields(All& all) {
    all(place, values);
  }
};

/// Brings the parts of a matrix, wherever they are, to where they are wanted: returns the elements of this rank's
/// rectangle. It is for ranks that go on with what others had (lbsp/steps.hpp). All call it together. T is
/// double, or complex of float or double.
///
/// Cost: one superstep, in which each element is sent once to each rank that wants it. Throws UsageError if elements
/// are missing.
template <class T>
std::vector<T> redistribute(World& world, std::span<const MatrixPart<T>> parts,
                            const std::function<Rectangle(Rank)>& wanted);

}  // namespace lbsp::algorithms
