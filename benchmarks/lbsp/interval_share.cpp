// How many supersteps of recorded runs took as long as is predicted for nine of ten: from the last rank's call of
// sync() to the last rank's return, by clocks that are aligned by the messages. All count that have a forecast. An
// interval's width is half of it, in per cent of its middle.
//   interval_share TRACE…
#include <algorithm>
#include <cstddef>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "tools/command_line/text_file.hpp"
#include "tools/report/supersteps.hpp"
#include "tools/trace_file/clocks.hpp"

namespace {

using lbsp::trace_file::Interval;
using lbsp::trace_file::Trace;

constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// Intervals of one kind beside what was measured.
class Shares {
 public:
  void add(const Interval& interval, double took) {
    ++(took < interval.from ? shorter_ : took > interval.to ? longer_ : within_);
    const double middle = (interval.from + interval.to) / 2;
    widths_.push_back(100 * (interval.to - interval.from) / 2 / middle);
    off_.push_back(100 * (took / middle - 1));
  }
  Shares& operator+=(const Shares& other) {
    within_ += other.within_;
    shorter_ += other.shorter_;
    longer_ += other.longer_;
    widths_.insert(widths_.end(), other.widths_.begin(), other.widths_.end());
    off_.insert(off_.end(), other.off_.begin(), other.off_.end());
    return *this;
  }

  std::string text() {
    const int all = within_ + shorter_ + longer_;
    if (all == 0) return "none";
    return fmt::format(
        "{:.1f} % of {} within, {:.1f} % shorter, {:.1f} % longer, ±{:.1f} % wide, {:+.1f} % from the middle",
        100.0 * within_ / all, all, 100.0 * shorter_ / all, 100.0 * longer_ / all, median(widths_),
        median(off_));
  }

 private:
  static double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  int within_ = 0;
  int shorter_ = 0;
  int longer_ = 0;
  std::vector<double> widths_;  ///< half, in per cent of the middle
  std::vector<double> off_;     ///< what was measured from the middle, in per cent
};

struct Both {
  Shares planned;     ///< by the plan alone
  Shares calibrated;  ///< with what was learnt from earlier supersteps

  void print(const char* what) {
    fmt::print("{}\n  by the plan: {}\n  calibrated:  {}\n", what, planned.text(), calibrated.text());
  }
};

Both shares_of(const Trace& trace) {
  Both out;
  for (const auto& superstep : lbsp::report::supersteps_of(trace, lbsp::trace_file::align(trace))) {
    if (!superstep.calibrated || superstep.supersteps > 1) continue;
    out.planned.add(*superstep.planned, superstep.communicate);
    out.calibrated.add({superstep.calibrated->from, superstep.calibrated->to}, superstep.communicate);
  }
  return out;
}

}  // namespace

int main(int count, char** words) {
  try {
    Both all;
    for (int i = 1; i < count; ++i) {
      const std::string text = lbsp::command_line::read_text_file(words[i], "the trace", most_bytes);
      Both one = shares_of(lbsp::trace_file::parse_trace(text, words[i]));
      one.print(words[i]);
      all.planned += one.planned;
      all.calibrated += one.calibrated;
    }
    all.print("all");
  } catch (const std::exception& error) {
    fmt::print(stderr, "lbsp: {}\n", error.what());
    return 1;
  }
  return 0;
}
