#include "tools/trace_file/clocks.hpp"

#include <algorithm>
#include <limits>

namespace lbsp::trace_file {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

std::vector<Times> own_times(const std::vector<Step>& steps) {
  std::vector<Times> out;
  double now = 0;
  for (const Step& step : steps) {
    const double called = now + step.compute;
    out.push_back({now, called, called + step.waiting, called + step.communicate});
    now = out.back().ended;
  }
  return out;
}

/// How long, at least, from the call of sync() by one rank until another has left it, each by its own clock.
double least_passage(const Trace& trace, const std::vector<std::vector<Times>>& times, std::size_t caller,
                     std::size_t leaver) {
  double least = unknown;
  for (std::size_t k = 0; k < times[caller].size(); ++k)
    if (trace.steps[caller][k].supersteps == 1)
      least = std::min(least, times[leaver][k].ended - times[caller][k].called);
  return least;
}

/// Whose clock is everybody's.
std::size_t first_with_steps(const Trace& trace) {
  const auto found = std::ranges::find_if(trace.steps, [](const auto& steps) { return !steps.empty(); });
  return found == trace.steps.end() ? 0 : static_cast<std::size_t>(found - trace.steps.begin());
}

void shift(std::vector<Times>& times, double by) {
  for (Times& each : times) {
    each.began += by;
    each.called += by;
    each.came += by;
    each.ended += by;
  }
}

}  // namespace

TimeLines align(const Trace& trace) {
  TimeLines out;
  for (const auto& steps : trace.steps)
    out.steps.push_back(own_times(steps));
  out.shifts.assign(trace.steps.size(), 0);
  out.errors.assign(trace.steps.size(), 0);
  const std::size_t first = first_with_steps(trace);
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank) {
    // One that has told nothing has no time line that could be off.
    if (rank == first || trace.steps[rank].size() != trace.steps[first].size()) continue;
    const double to_first = least_passage(trace, out.steps, rank, first);
    const double from_first = least_passage(trace, out.steps, first, rank);
    if (to_first == unknown) {
      out.errors[rank] = unknown;
      continue;
    }
    out.shifts[rank] = (to_first - from_first) / 2;
    out.errors[rank] = (to_first + from_first) / 2;
  }
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank)
    shift(out.steps[rank], out.shifts[rank]);
  return out;
}

}  // namespace lbsp::trace_file
