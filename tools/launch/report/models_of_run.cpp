#include "tools/launch/report/models_of_run.hpp"

#include <algorithm>
#include <stdexcept>

#include "tools/launch/report/job_figures.hpp"
#include "tools/trace_file/trace.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::report {
namespace {

using estimate::ModelEstimate;

/// The run, had its supersteps communicated for as long as was predicted.
std::vector<ModelEstimate> by_the_plans(const JobReport& report) {
  const auto prediction = report.records().prediction();
  if (!prediction) return {};
  const Seconds others = total_time(report) - prediction->measured;
  const auto with = [&](Seconds communicating) {
    return std::max(0.0, Seconds(others + communicating).count());
  };
  return {{.model = "lbsp",
           .title = "lossy BSP",
           .seconds = with(prediction->predicted),
           .interval = estimate::Interval{with(prediction->interval.from), with(prediction->interval.to)}}};
}

}  // namespace

std::vector<ModelEstimate> models_of(const JobReport& report, const std::string& trace) {
  if (report.reason()) return {};
  if (trace.empty()) return by_the_plans(report);
  // A table that cannot be made takes nothing else from a job that is done.
  try {
    return estimates_in(estimate::answers_as_recorded(trace_file::parse_trace(trace, "the trace")));
  } catch (const Error&) {
  } catch (const std::invalid_argument&) {
  }
  return by_the_plans(report);
}

}  // namespace lbsp::launch::report
