#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lbsp::model::superstep {

/// F with so negative a logarithm is 0.
inline constexpr double log_of_nothing = -40;

/// A normal variable is so many standard deviations above its mean, or more, with probability 0.05.
inline constexpr double normal_95 = 1.6448536269514722;

/// How much a superstep's time varies from one time to the next.
struct Spread {
  double mean = 0;       ///< seconds
  double deviation = 0;  ///< standard, seconds
  double from = 0;       ///< with the probability asked for it takes no less than this, …
  double to = 0;         ///< … and no more than this; what is outside is as likely on either side
};

/// The time from the common begin of a superstep to the end of its slowest rank. F(t), the probability that it
/// has ended by t, is the product over many independent parts of the superstep, each of which becomes more
/// likely to be complete at certain times: steps of ln F, kept on a grid. What is very late, as timeouts on a fast link
/// are, lies on a coarser one.
class CompletionTime {
 public:
  explicit CompletionTime(double cell_seconds) : width_(cell_seconds) { steps_.reserve(512); }

  /// Some part may be complete from then on, but not before.
  void begin(double seconds) { origin_ = std::max(origin_, seconds); }
  /// ln F rises by `rise`. It is shared out between the neighbouring lines of the grid, so that its place
  /// stays right on average.
  void add(double seconds, double rise);
  /// What is too rare to be counted counts as complete.
  double mean() const;
  /// The interval that holds `share` of it; 0 to 1.
  Spread spread(double share) const;

 private:
  /// Calls visit(from, to, missing) for each cell after the origin, the last one first: `missing` is 1-F between the
  /// two times.
  template <class Visit>
  void visit_cells(Visit visit) const;
  /// A line of the grid, in fine cells.
  static double line(std::size_t index);
  /// The last line that is not later, and how far behind it that is, as a part of the cell.
  struct Place {
    std::size_t line;
    double part;
  };
  static Place place_of(double fine_cells);

  double width_;               ///< of a fine cell of the grid
  double origin_ = 0;          ///< seconds; nothing is complete before
  std::vector<double> steps_;  ///< by line of the grid
};

}  // namespace lbsp::model::superstep
