#include "tools/launch/report/superstep_times.hpp"

#include <algorithm>
#include <cmath>

#include "model/superstep/calibrated_forecast.hpp"
#include "model/superstep/prediction.hpp"

namespace lbsp::launch::report {
namespace {

using model::superstep::Spread;

Spread spread_of(const transport::Forecast& forecast) {
  const Interval interval = interval_of(forecast);
  return {Seconds(forecast.duration).count(), 0, interval.from.count(), interval.to.count()};
}

}  // namespace

Interval interval_of(const transport::Forecast& forecast) {
  const Seconds predicted(forecast.duration);
  const Seconds error = model::superstep::usual_error * predicted;
  return {std::max(Seconds{0}, predicted - Seconds(forecast.earlier) - error),
          predicted + Seconds(forecast.later) + error};
}

double Prediction::error() const {
  return measured > Seconds{0} ? (predicted - measured) / measured : 0;
}

void SuperstepTimes::add(Rank rank, const job::Steps& steps) {
  RankClock& clock = clocks_[static_cast<std::size_t>(rank)];
  if (steps.first != clock.records * steps.each) return;
  const std::uint64_t end = clock.records + steps.figures.size();
  if (end > History::most_records) return;
  spans_.resize(std::max(spans_.size(), static_cast<std::size_t>(end)));
  for (std::size_t record = 0; record < steps.figures.size(); ++record) {
    const SuperstepFigures& figures = steps.figures[record];
    Span& span = spans_[static_cast<std::size_t>(clock.records++)];
    span.supersteps = std::max(span.supersteps, steps.range(record).count);
    if (figures.forecast.duration > span.predicted.duration) span.predicted = figures.forecast;
    clock.now += figures.compute;
    span.last_begin = std::max(span.last_begin, clock.now);
    clock.now += figures.communicate;
    span.last_end = std::max(span.last_end, clock.now);
  }
}

/// Calls visit(record, span, spread) for each of the first `records` that was predicted, in order: `spread` is what
/// nine of ten take.
template <class Visit>
void SuperstepTimes::visit_predicted(std::size_t records, Visit visit) const {
  model::superstep::CalibratedForecast calibrated;
  for (std::size_t record = 0; record < std::min(records, spans_.size()); ++record) {
    const Span& span = spans_[record];
    if (span.predicted.duration <= transport::Duration{0}) continue;
    const Spread predicted = spread_of(span.predicted);
    visit(record, span, calibrated.of(predicted));
    calibrated.learn(predicted, span.measured().count());
  }
}

std::vector<std::optional<Prediction>> SuperstepTimes::predictions(std::size_t records) const {
  std::vector<std::optional<Prediction>> out(std::min(records, spans_.size()));
  visit_predicted(records, [&](std::size_t record, const Span& span, const Spread& spread) {
    // One long pause among those before moves their mean beyond what nine of ten take.
    out[record] = Prediction{.planned = Seconds(span.predicted.duration),
                             .predicted = Seconds{std::clamp(spread.mean, spread.from, spread.to)},
                             .interval = {Seconds{spread.from}, Seconds{spread.to}},
                             .measured = span.measured(),
                             .supersteps = span.supersteps};
  });
  return out;
}

std::optional<Prediction> SuperstepTimes::total(std::size_t records) const {
  std::optional<Prediction> sum;
  double mean = 0;
  double variance = 0;
  visit_predicted(records, [&](std::size_t, const Span& span, const Spread& spread) {
    if (!sum) sum.emplace();
    sum->planned += Seconds(span.predicted.duration);
    sum->measured += span.measured();
    sum->supersteps += span.supersteps;
    mean += spread.mean;
    variance += spread.deviation * spread.deviation;
  });
  if (!sum) return std::nullopt;
  const double beside =
      model::superstep::normal_95 * std::sqrt(variance) + model::superstep::usual_error * mean;
  sum->predicted = Seconds{mean};
  sum->interval = {Seconds{std::max(0., mean - beside)}, Seconds{mean + beside}};
  return sum;
}

}  // namespace lbsp::launch::report
