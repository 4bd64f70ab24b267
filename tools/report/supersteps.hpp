#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/superstep/completion.hpp"
#include "tools/trace_file/clocks.hpp"

namespace lbsp::report {

/// One superstep of all ranks, or one record of several.
struct Superstep {
  std::uint64_t first = 0;
  std::uint64_t supersteps = 1;
  double seconds = 0;      ///< from the last rank's end of the one before to the last rank's end of this one
  double communicate = 0;  ///< from the last rank's call of sync() to the last rank's return
  std::optional<double> predicted;  ///< of the communication by the plan, the longest of the ranks'
  std::optional<trace_file::Interval> planned;  ///< what nine of ten take by the plan alone …
  /// … and with what the hosts added to earlier supersteps (model::superstep::CalibratedForecast).
  std::optional<model::superstep::Spread> calibrated;
  /// Of the communication, with what the hosts added, as far as it is known: within what nine of ten take.
  std::optional<double> expected() const;
  std::string reason;  ///< why it took so long, in words
};

/// All supersteps, in order. Those whose clocks are not aligned are measured as if all ranks had begun together.
std::vector<Superstep> supersteps_of(const trace_file::Trace& trace, const trace_file::TimeLines& lines);

/// "41 ms"; as transport::format_duration() with three digits.
std::string time_text(double seconds);

}  // namespace lbsp::report
