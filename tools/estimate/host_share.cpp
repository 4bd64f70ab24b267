#include "tools/estimate/host_share.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "model/superstep/completion.hpp"
#include "tools/trace_file/clocks.hpp"

namespace lbsp::estimate {
namespace {

using trace_file::Step;
using trace_file::TimeLines;
using trace_file::Trace;

/// Of one record of supersteps.
struct Residual {
  double seconds = 0;  ///< measured less planned
  double supersteps = 1;
  double planned_variance = 0;
};

/// The longest of the ranks' plans; none if no rank had one.
const Step* longest_plan(const Trace& trace, std::size_t k) {
  const Step* longest = nullptr;
  for (const auto& steps : trace.steps)
    if (steps[k].predicted && (longest == nullptr || *steps[k].predicted > *longest->predicted))
      longest = &steps[k];
  return longest;
}

/// From the last rank's call of sync() to the last rank's return.
double measured(const TimeLines& lines, std::size_t k) {
  double called = lines.steps.front()[k].called;
  double ended = lines.steps.front()[k].ended;
  for (const auto& steps : lines.steps) {
    called = std::max(called, steps[k].called);
    ended = std::max(ended, steps[k].ended);
  }
  return std::max(0., ended - called);
}

std::vector<Residual> residuals_of(const Trace& trace) {
  std::vector<Residual> out;
  const TimeLines lines = align(trace);
  for (std::size_t k = 0; k < trace.steps.front().size(); ++k) {
    const Step* plan = longest_plan(trace, k);
    if (plan == nullptr) continue;
    Residual one{measured(lines, k) - *plan->predicted, static_cast<double>(plan->supersteps)};
    if (plan->interval) {
      const double deviation = (plan->interval->to - plan->interval->from) / 2 / model::superstep::normal_95;
      one.planned_variance = deviation * deviation;
    }
    out.push_back(one);
  }
  return out;
}

}  // namespace

HostShare host_share(const Trace& trace) {
  const std::vector<Residual> residuals = residuals_of(trace);
  if (residuals.empty()) return {};
  double seconds = 0;
  double supersteps = 0;
  double planned = 0;
  for (const Residual& each : residuals) {
    seconds += each.seconds;
    supersteps += each.supersteps;
    planned += each.planned_variance;
  }
  HostShare out{.mean = seconds / supersteps};
  if (residuals.size() < 2) return out;
  double squares = 0;
  for (const Residual& each : residuals) {
    const double off = each.seconds - each.supersteps * out.mean;
    squares += off * off / each.supersteps;
  }
  const double variance = squares / static_cast<double>(residuals.size() - 1);
  out.variance = std::max(0., variance - planned / supersteps);
  out.variance_of_mean = variance / supersteps;
  return out;
}

}  // namespace lbsp::estimate
