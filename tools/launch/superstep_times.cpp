#include "tools/launch/superstep_times.hpp"

#include <algorithm>

namespace lbsp::launch {

double Prediction::error() const {
  return measured > Seconds{0} ? (predicted - measured) / measured : 0;
}

void SuperstepTimes::add(Rank rank, const job::Steps& steps) {
  RankClock& clock = clocks_[static_cast<std::size_t>(rank)];
  if (steps.first != clock.records * steps.each) return;
  const std::uint64_t end = clock.records + steps.figures.size();
  if (end > History::most_records) return;
  spans_.resize(std::max(spans_.size(), static_cast<std::size_t>(end)));
  for (const SuperstepFigures& figures : steps.figures) {
    Span& span = spans_[static_cast<std::size_t>(clock.records++)];
    span.predicted = std::max(span.predicted, Seconds(figures.forecast.duration));
    clock.now += figures.compute;
    span.last_begin = std::max(span.last_begin, clock.now);
    clock.now += figures.communicate;
    span.last_end = std::max(span.last_end, clock.now);
  }
}

std::optional<Prediction> SuperstepTimes::prediction(std::size_t record) const {
  if (record >= spans_.size() || spans_[record].predicted <= Seconds{0}) return std::nullopt;
  const Span& span = spans_[record];
  return Prediction{span.predicted, span.last_end - span.last_begin};
}

std::optional<Prediction> SuperstepTimes::total(std::size_t records) const {
  std::optional<Prediction> sum;
  for (std::size_t record = 0; record < std::min(records, spans_.size()); ++record) {
    const auto one = prediction(record);
    if (!one) continue;
    if (!sum) sum.emplace();
    sum->predicted += one->predicted;
    sum->measured += one->measured;
  }
  return sum;
}

}  // namespace lbsp::launch
