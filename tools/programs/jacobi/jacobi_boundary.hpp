#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lbsp::programs::jacobi {

/// The values along one edge of a grid, its ends included.
struct Edge {
  enum class Kind { constant, sine, file };

  Kind kind = Kind::constant;
  double value = 0;  ///< of a constant
  std::string path;  ///< of a one-dimensional .npy file

  /// Point `index` of `count` points of a constant, or of sin(πx), which is 0 at both ends.
  double at(std::size_t index, std::size_t count) const;
};

struct Boundary {
  Edge top;
  Edge bottom;
  Edge left;
  Edge right;

  bool has_files() const;
};

/// Reads `top=1,bottom=-0.5,left=sine,right=EDGE.npy`: a number, `sine`, or a file each; what is not named is
/// 0. Throws UsageError quoting what is wrong.
Boundary parse_boundary(std::string_view text);

}  // namespace lbsp::programs::jacobi
