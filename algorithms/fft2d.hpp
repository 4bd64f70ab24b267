#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/block_layout.hpp"
#include "algorithms/local_fft.hpp"
#include "algorithms/rectangle.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/steps.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

struct Fft2dOptions {
  Direction direction = Direction::forward;
  bool transposed = false;  ///< leave the result transposed, which saves the second superstep
  Planning planning = Planning::estimate;
};

/// The rows of a matrix that a rank holds whole: part `rank` of P (part_of).
Rectangle rows_of_rank(std::size_t rows, std::size_t columns, Rank rank, Rank ranks);

/// The two-dimensional discrete Fourier transform of a rows × columns matrix that is shared out by rows. It
/// uses the transpose method: transform the rows, exchange all to all, transform the columns, exchange back.
/// It takes any sizes on any number of ranks; if there are more ranks than rows or columns, some ranks have
/// none. T is float or double.
///
/// X_kl = Σ_ij x_ij e^(∓2πi (ik/rows + jl/columns)). The inverse is divided by rows · columns, so that it
/// undoes the forward transform, as in NumPy. It uses one thread per rank.
///
/// All ranks make it together, and use it together any number of times. The plans are made once.
///
/// Cost of a use: two supersteps (one if transposed), in each of which every rank sends every other rank
/// rows·columns/P² elements, so h = P-1 messages; 5 (N/P) log2 N operations for N = rows · columns. Memory:
/// about four times the rank's own part.
///
/// Throws UsageError if the ranks disagree about a size, or a size is beyond FFTW's 32-bit integers.
/// Source: the L-BSP paper's 2D FFT-TM.
template <class T>
class Fft2d {
 public:
  using Element = std::complex<T>;

  Fft2d(World& world, std::size_t rows, std::size_t columns, const Fft2dOptions& options = {});

  /// The rows that this rank holds before a transform, and also after it unless the result stays transposed.
  Range own_rows() const { return own_rows_; }
  /// The columns that this rank holds between the exchanges, and also after the transform if the result stays
  /// transposed.
  Range own_columns() const { return own_columns_; }

  /// Transforms in place. `values` are this rank's rows, one after the other. They become its rows of the
  /// result or, if transposed, its columns, one after the other. Throws UsageError if their number is wrong.
  ///
  /// With `keep`, for a job that outlives its ranks (lbsp/steps.hpp), other hosts keep what the ranks have between the
  /// two supersteps, if keep->every is 1. The result is the same to the last bit whoever is lost, on fewer ranks too.
  /// After a loss it takes one superstep more.
  void transform(std::vector<Element>& values, const std::optional<Keep>& keep = {});

 private:
  /// The first of the two, or the second one.
  void step(std::uint64_t number, std::vector<Element>& values);
  void transform_in_steps(std::vector<Element>& values, const Keep& keep);
  void exchange(std::vector<Element>& values, std::size_t height, std::size_t width);

  World& world_;
  Fft2dOptions options_;
  std::size_t rows_;
  std::size_t columns_;
  Range own_rows_;
  Range own_columns_;
  LocalFft<T> row_transforms_;
  LocalFft<T> column_transforms_;
  Queue<Element> queue_;
  std::vector<Element> work_;
};

}  // namespace lbsp::algorithms
