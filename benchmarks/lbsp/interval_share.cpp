// How many supersteps of recorded runs took as long as is predicted for nine of ten: from the last rank's call of
// sync() to the last rank's return, by clocks that are aligned by the messages. The first supersteps of a run, which
// know nothing of the network yet, are not counted.
//   interval_share SKIPPED TRACE…
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <vector>

#include "tools/command_line/text_file.hpp"
#include "tools/estimate/lossy_estimate.hpp"
#include "tools/report/supersteps.hpp"
#include "tools/trace_file/clocks.hpp"

namespace {

using lbsp::trace_file::Trace;

constexpr std::size_t most_bytes = std::size_t{1} << 30;

struct Shares {
  int within = 0;
  int shorter = 0;
  int longer = 0;
  std::vector<double> ratios;  ///< of what was measured to the middle of the interval

  int all() const { return within + shorter + longer; }

  void print(const char* what) {
    if (all() == 0) return fmt::print("{}: no supersteps that can be compared\n", what);
    std::ranges::sort(ratios);
    fmt::print(
        "{}: {:.1f} % of {} supersteps within, {:.1f} % shorter, {:.1f} % longer; median {:+.1f} % from the middle\n",
        what, 100.0 * within / all(), all(), 100.0 * shorter / all(), 100.0 * longer / all(),
        100 * (ratios[ratios.size() / 2] - 1));
  }

  Shares& operator+=(const Shares& other) {
    within += other.within;
    shorter += other.shorter;
    longer += other.longer;
    ratios.insert(ratios.end(), other.ratios.begin(), other.ratios.end());
    return *this;
  }
};

Shares shares_of(const Trace& trace, std::size_t skipped) {
  Shares out;
  const auto intervals = lbsp::estimate::superstep_intervals(trace);
  const auto measured = lbsp::report::supersteps_of(trace, lbsp::trace_file::align(trace));
  for (std::size_t k = skipped; k < intervals.size(); ++k) {
    if (!intervals[k]) continue;
    const double took = measured[k].communicate;
    ++(took < intervals[k]->from ? out.shorter : took > intervals[k]->to ? out.longer : out.within);
    out.ratios.push_back(2 * took / (intervals[k]->from + intervals[k]->to));
  }
  return out;
}

}  // namespace

int main(int count, char** words) {
  try {
    Shares all;
    for (int i = 2; i < count; ++i) {
      const std::string text = lbsp::command_line::read_text_file(words[i], "the trace", most_bytes);
      Shares one = shares_of(lbsp::trace_file::parse_trace(text, words[i]),
                             static_cast<std::size_t>(std::max(0, std::atoi(words[1]))));
      one.print(words[i]);
      all += one;
    }
    all.print("all");
  } catch (const std::exception& error) {
    fmt::print(stderr, "lbsp: {}\n", error.what());
    return 1;
  }
  return 0;
}
