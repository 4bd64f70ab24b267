#include "tools/report/supersteps.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "model/superstep/calibrated_forecast.hpp"
#include "transport/quantity.hpp"
#include "transport/units.hpp"

namespace lbsp::report {
namespace {

using trace_file::Step;
using trace_file::TimeLines;
using trace_file::Times;
using trace_file::Trace;

/// What decides: more than this part of the superstep.
constexpr double most_of = 0.5;

template <class Value>
std::size_t largest_rank(const TimeLines& lines, std::size_t k, Value value) {
  std::size_t best = 0;
  for (std::size_t rank = 1; rank < lines.steps.size(); ++rank)
    if (value(lines.steps[rank][k]) > value(lines.steps[best][k])) best = rank;
  return best;
}

std::string reason_of(const Trace& trace, const TimeLines& lines, std::size_t k, const Superstep& superstep) {
  const std::size_t last = largest_rank(lines, k, [](const Times& times) { return times.called; });
  const Step& slow = trace.steps[last][k];
  if (superstep.seconds - superstep.communicate > most_of * superstep.seconds) {
    const double without = slow.compute - slow.cpu;
    if (without > most_of * slow.compute)
      return fmt::format("rank {} was without the processor for {} of the {} that it computed", last,
                         time_text(without), time_text(slow.compute));
    return fmt::format("all waited for rank {}, which computed for {}", last, time_text(slow.compute));
  }
  std::uint64_t resent = 0;
  double bytes = 0;
  std::size_t sender = 0;
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank) {
    const double sent = trace.steps[rank][k].bytes();
    if (sent > bytes) sender = rank;
    bytes = std::max(bytes, sent);
    resent += trace.steps[rank][k].resent;
  }
  std::string out = fmt::format("messages took {}", time_text(superstep.communicate));
  if (resent > 0) out += fmt::format(", {} segments were sent again", resent);
  if (bytes > 0)
    out += fmt::format(", rank {} sent {}", sender,
                       transport::format_size(static_cast<std::uint64_t>(std::min(bytes, 1e18)), 3));
  return out;
}

/// Gives the superstep its interval, and learns from it.
void calibrate(Superstep& superstep, model::superstep::CalibratedForecast& calibrated) {
  if (!superstep.planned) return;
  const model::superstep::Spread predicted{*superstep.predicted, 0, superstep.planned->from,
                                           superstep.planned->to};
  superstep.calibrated = calibrated.of(predicted);
  calibrated.learn(predicted, superstep.communicate);
}

}  // namespace

std::string time_text(double seconds) {
  if (!(seconds < 1e8)) return fmt::format("{:.3g} s", seconds);
  return transport::format_duration(transport::Duration{static_cast<transport::Duration::rep>(seconds * 1e9)},
                                    3);
}

std::vector<Superstep> supersteps_of(const Trace& trace, const TimeLines& lines) {
  std::vector<Superstep> out;
  model::superstep::CalibratedForecast calibrated;
  double before = 0;
  for (std::size_t k = 0; k < lines.steps.front().size(); ++k) {
    Superstep superstep;
    superstep.first = trace.steps.front()[k].first;
    superstep.supersteps = trace.steps.front()[k].supersteps;
    double called = lines.steps.front()[k].called;
    double ended = lines.steps.front()[k].ended;
    for (std::size_t rank = 0; rank < lines.steps.size(); ++rank) {
      called = std::max(called, lines.steps[rank][k].called);
      ended = std::max(ended, lines.steps[rank][k].ended);
      const Step& step = trace.steps[rank][k];
      if (!step.predicted || *step.predicted <= superstep.predicted.value_or(0)) continue;
      superstep.predicted = step.predicted;
      superstep.planned = step.interval;
    }
    superstep.seconds = std::max(0.0, ended - before);
    superstep.communicate = std::min(superstep.seconds, std::max(0.0, ended - called));
    calibrate(superstep, calibrated);
    superstep.reason = reason_of(trace, lines, k, superstep);
    before = ended;
    out.push_back(std::move(superstep));
  }
  return out;
}

}  // namespace lbsp::report
