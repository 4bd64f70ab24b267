#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "tools/estimate/answers.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::estimate {

/// What one of the models says of a whole run.
struct ModelEstimate {
  const char* model = "";  ///< as `lbsp estimate --model` names it
  const char* title = "";  ///< as a table for people does
  double seconds = 0;
  std::optional<Interval> interval{};  ///< of nine of ten runs
};

/// Those that have answered.
std::vector<ModelEstimate> estimates_in(const Answers& answers);

/// Of all models that apply to the run as it was recorded. Throws UsageError for a trace in which a rank has told
/// nothing, and for what no run takes.
Answers answers_as_recorded(const trace_file::Trace& trace);

/// "model", "seconds" and "interval".
nlohmann::ordered_json json_of(const ModelEstimate& estimate);

}  // namespace lbsp::estimate
