#include "tools/launch/job_report.hpp"

#include <algorithm>
#include <cstddef>

namespace lbsp::launch {

JobReport::JobReport(const RunOptions& options, const Placement& placement)
    : options_(options),
      placement_(placement),
      ranks_(static_cast<std::size_t>(placement.size)),
      told_(static_cast<std::size_t>(placement.size)),
      step_compute_(static_cast<std::size_t>(placement.size)),
      times_(placement.size),
      at_its_end_(static_cast<std::size_t>(placement.size)),
      missing_(placement.size) {}

void JobReport::set_size(Rank size) {
  ranks_.resize(static_cast<std::size_t>(size));
  told_.resize(static_cast<std::size_t>(size));
  step_compute_.resize(static_cast<std::size_t>(size));
  at_its_end_.resize(static_cast<std::size_t>(size));
  missing_ = size;
}

void JobReport::add(Rank rank, const job::Steps& steps) {
  if (rank >= size()) return;
  const std::uint64_t first = steps.first / steps.each;
  // A rank keeps a bounded number of records, so no more than that are expected.
  if (first > History::most_records || steps.figures.size() > History::most_records - first) return;
  // Only ranks that were stopped in different supersteps can have records of different lengths.
  if (steps.first % steps.each != 0 || (!steps_.empty() && steps.each != steps_each_)) return;
  if (steps.figures.empty()) return;
  steps_each_ = steps.each;
  const job::SuperstepRange last = steps.range(steps.figures.size() - 1);
  in_steps_ = std::max(in_steps_, last.first + last.count);
  auto& told = told_[static_cast<std::size_t>(rank)];
  told = std::max(told, last.first + last.count);
  const auto end = static_cast<std::size_t>(first) + steps.figures.size();
  steps_.resize(std::max(steps_.size(), end));
  auto sum = steps_.begin() + static_cast<std::ptrdiff_t>(first);
  for (const SuperstepFigures& figures : steps.figures) {
    sum->compute = std::max(sum->compute, figures.compute);
    sum->communicate = std::max(sum->communicate, figures.communicate);
    sum->h = std::max(sum->h, figures.h);
    sum->traffic += figures.traffic;
    sum->forecast.most_copies = std::max(sum->forecast.most_copies, figures.forecast.most_copies);
    step_compute_[static_cast<std::size_t>(rank)] += figures.compute;
    ++sum;
  }
  times_.add(rank, steps);
}

void JobReport::add(Rank rank, const job::RankReport& report) {
  if (rank >= size()) return;
  const auto place = static_cast<std::size_t>(rank);
  if (!at_its_end_[place]) --missing_;
  at_its_end_[place] = true;
  ranks_[place] = report;
}

void JobReport::add_unfinished(Rank rank, const job::RankReport& report) {
  if (rank >= size() || at_its_end_[static_cast<std::size_t>(rank)]) return;
  ranks_[static_cast<std::size_t>(rank)] = report;
}

std::span<const SuperstepFigures> JobReport::steps() const {
  std::uint64_t common = in_steps_;
  for (std::size_t rank = 0; rank < told_.size(); ++rank) {
    if (ranks_[rank] || told_[rank] > 0) common = std::min(common, told_[rank]);
  }
  // A record that is not whole on every rank has other supersteps on each.
  const std::uint64_t records = common == in_steps_ ? steps_.size() : common / steps_each_;
  return std::span(steps_).first(std::min(steps_.size(), static_cast<std::size_t>(records)));
}

std::optional<JobReport::Standstill> JobReport::standstill() const {
  constexpr Seconds long_wait{1};
  Standstill found;
  for (const auto& report : ranks_)
    if (report) found.waited = std::max(found.waited, report->waiting);
  if (finished() || found.waited < long_wait) return std::nullopt;
  for (Rank rank = 0; rank < size(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    const bool waits = ranks_[place] && (at_its_end_[place] || ranks_[place]->waiting > Seconds{0});
    if (!waits) found.ranks.push_back(rank);
  }
  if (found.ranks.empty()) return std::nullopt;
  return found;
}

job::SuperstepRange JobReport::range(std::size_t step) const {
  const std::uint64_t first = step * steps_each_;
  return {first, std::min(steps_each_, in_steps_ - first)};
}

Rank JobReport::reported() const {
  return static_cast<Rank>(
      std::ranges::count_if(ranks_, [](const auto& report) { return report.has_value(); }));
}

std::optional<bool> JobReport::verified() const {
  std::optional<bool> verified;
  for (const auto& report : ranks_) {
    if (report && report->verified) verified = verified.value_or(true) && *report->verified;
  }
  // Right is only what all ranks have come to.
  return verified == true && !complete() ? std::nullopt : verified;
}

std::string JobReport::host_of(Rank rank) const {
  const auto holds = [&](const PlacedHost& host) {
    return rank >= host.first_rank && rank < host.first_rank + host.ranks;
  };
  const auto found = std::ranges::find_if(placement_.hosts, holds);
  return found == placement_.hosts.end() ? std::string() : found->name;
}

std::uint64_t JobReport::supersteps() const {
  std::uint64_t most = 0;
  for (const auto& report : ranks_)
    if (report) most = std::max(most, report->supersteps);
  return most;
}

Seconds JobReport::total() const {
  Seconds longest{0};
  for (const auto& report : ranks_)
    if (report) longest = std::max(longest, report->total);
  return longest;
}

Seconds JobReport::start() const {
  Seconds longest{0};
  for (const auto& report : ranks_)
    if (report) longest = std::max(longest, report->start);
  return longest;
}

Seconds JobReport::end() const {
  Seconds longest{0};
  for (const auto& report : ranks_)
    if (report) longest = std::max(longest, report->end);
  return longest;
}

Seconds JobReport::compute() const {
  Seconds sum{0};
  for (const SuperstepFigures& step : steps_)
    sum += step.compute;
  // After the last superstep.
  Seconds longest_rest{0};
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank])
      longest_rest = std::max(longest_rest, ranks_[rank]->totals.compute - step_compute_[rank]);
  }
  return std::min(sum + longest_rest, total());
}

Seconds JobReport::communicate() const {
  return total() - compute();
}

transport::TrafficCounters JobReport::traffic() const {
  transport::TrafficCounters sum;
  for (const auto& report : ranks_)
    if (report) sum += report->totals.traffic;
  return sum;
}

transport::NetworkMeasure JobReport::network() const {
  transport::NetworkMeasure mean;
  double lost = 0;
  double round_trip_times = 0;
  double timed = 0;
  double bandwidths = 0;
  double fast = 0;
  for (const auto& report : ranks_) {
    if (!report) continue;
    const transport::NetworkMeasure& one = report->network;
    lost += one.loss * static_cast<double>(one.loss_sample);
    mean.loss_sample += one.loss_sample;
    round_trip_times += static_cast<double>(one.round_trip_time.count());
    timed += one.round_trip_time > transport::Duration::zero() ? 1 : 0;
    bandwidths += one.bandwidth.value;
    fast += one.bandwidth.value > 0 ? 1 : 0;
    mean.rate.value += one.rate.value / static_cast<double>(reported());
  }
  if (mean.loss_sample > 0) mean.loss = lost / static_cast<double>(mean.loss_sample);
  if (timed > 0)
    mean.round_trip_time = transport::Duration{static_cast<std::int64_t>(round_trip_times / timed)};
  if (fast > 0) mean.bandwidth.value = bandwidths / fast;
  return mean;
}

double JobReport::mean_copies() const {
  const auto sum = traffic();
  const auto redundant = sum.copies_sent + sum.coded_sent;
  const auto first = sum.segments_sent - sum.segments_resent - redundant;
  if (first == 0) return 1;
  return 1 + static_cast<double>(redundant) / static_cast<double>(first);
}

int JobReport::most_copies() const {
  if (options_.backend != job::Backend::udp) return 1;
  if (options_.exchange.redundancy == transport::Redundancy::fixed) return options_.exchange.copies;
  int most = 0;
  for (const auto& report : ranks_)
    if (report) most = std::max(most, report->totals.forecast.most_copies);
  return most;
}

transport::BytesPerSecond JobReport::goodput() const {
  const double seconds = communicate().count();
  return {seconds > 0 ? static_cast<double>(traffic().payload_bytes_sent) / seconds : 0};
}

}  // namespace lbsp::launch
