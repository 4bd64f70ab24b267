#include "tools/launch/report/job_report.hpp"

#include <algorithm>
#include <cstddef>

namespace lbsp::launch::report {

JobReport::JobReport(const request::RunOptions& options, const places::Placement& placement)
    : options_(options),
      placement_(placement),
      ranks_(static_cast<std::size_t>(placement.size)),
      records_(placement.size),
      at_its_end_(static_cast<std::size_t>(placement.size)),
      losses_(options.exchange.outlives_ranks) {}

void JobReport::set_size(Rank size) {
  ranks_.resize(static_cast<std::size_t>(size));
  records_.set_size(size);
  at_its_end_.resize(static_cast<std::size_t>(size));
}

void JobReport::move(Rank rank, std::size_t host) {
  losses_.was_on(rank, placement_.host_of(rank));
  placement_.moved[rank] = host;
}

void JobReport::add(Rank rank, const job::RankReport& report) {
  if (rank >= size()) return;
  const auto place = static_cast<std::size_t>(rank);
  at_its_end_[place] = true;
  ranks_[static_cast<std::size_t>(rank)] = report;
  records_.end(rank);
}

void JobReport::add_unfinished(Rank rank, const job::RankReport& report) {
  if (rank >= size() || at_its_end_[static_cast<std::size_t>(rank)]) return;
  ranks_[static_cast<std::size_t>(rank)] = report;
  records_.end(rank);
}

bool JobReport::complete() const {
  bool any = false;
  for (Rank rank = 0; rank < size(); ++rank) {
    const bool at_its_end = at_its_end_[static_cast<std::size_t>(rank)];
    if (!at_its_end && !losses_.has(rank)) return false;
    any = any || (at_its_end && !losses_.has(rank));
  }
  return any || size() == 0;
}

std::optional<JobReport::Standstill> JobReport::standstill() const {
  constexpr Seconds long_wait{1};
  Standstill found;
  for (const auto& report : ranks_)
    if (report) found.waited = std::max(found.waited, report->waiting);
  if (!reason_ || found.waited < long_wait) return std::nullopt;
  for (Rank rank = 0; rank < size(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    const bool waits = ranks_[place] && (at_its_end_[place] || ranks_[place]->waiting > Seconds{0});
    if (!waits) found.ranks.push_back(rank);
  }
  if (found.ranks.empty()) return std::nullopt;
  return found;
}

Rank JobReport::took_part() const {
  Rank count = 0;
  for (Rank rank = 0; rank < size(); ++rank)
    count += losses_.never_joined(rank) ? 0 : 1;
  return count;
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

std::uint64_t JobReport::supersteps() const {
  std::uint64_t most = 0;
  for (const auto& report : ranks_)
    if (report) most = std::max(most, report->supersteps);
  return most;
}

Seconds JobReport::slowest(Seconds job::RankReport::*part) const {
  Seconds longest{0};
  for (const auto& report : ranks_)
    if (report) longest = std::max(longest, (*report).*part);
  return longest;
}

Seconds JobReport::compute() const {
  // After the last superstep.
  Seconds longest_rest{0};
  for (Rank rank = 0; rank < size(); ++rank) {
    const auto& report = ranks_[static_cast<std::size_t>(rank)];
    if (report) longest_rest = std::max(longest_rest, report->totals.compute - records_.compute_of(rank));
  }
  return std::min(records_.compute() + longest_rest, total());
}

transport::TrafficCounters JobReport::traffic() const {
  transport::TrafficCounters sum;
  for (const auto& report : ranks_)
    if (report) sum += report->totals.traffic;
  return sum;
}

std::uint32_t JobReport::epoch() const {
  std::uint32_t newest = 0;
  for (const auto& report : ranks_)
    if (report) newest = std::max(newest, report->epoch);
  return newest;
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
    mean.longest_datagram = std::max(mean.longest_datagram, one.longest_datagram);
    if (mean.shortest_datagram == 0 ||
        (one.shortest_datagram > 0 && one.shortest_datagram < mean.shortest_datagram))
      mean.shortest_datagram = one.shortest_datagram;
    mean.rate.value += one.rate.value / static_cast<double>(reported());
  }
  if (mean.loss_sample > 0) mean.loss = lost / static_cast<double>(mean.loss_sample);
  if (timed > 0)
    mean.round_trip_time = transport::Duration{static_cast<std::int64_t>(round_trip_times / timed)};
  if (fast > 0) mean.bandwidth.value = bandwidths / fast;
  return mean;
}

int JobReport::most_copies() const {
  if (options_.backend != job::Backend::udp) return 1;
  if (options_.exchange.redundancy == transport::Redundancy::fixed) return options_.exchange.copies;
  int most = 0;
  for (const auto& report : ranks_)
    if (report) most = std::max(most, report->totals.forecast.most_copies);
  return most;
}

double mean_copies(const JobReport& report) {
  const auto sum = report.traffic();
  const auto redundant = sum.copies_sent + sum.coded_sent;
  const auto first = sum.segments_sent - sum.segments_resent - redundant;
  if (first == 0) return 1;
  return 1 + static_cast<double>(redundant) / static_cast<double>(first);
}

namespace {

/// Of the rank's host, of which a rank's is an equal part; none: no rate is kept, or it has not told.
std::optional<transport::BytesPerSecond> rate_of_host(const JobReport& report, Rank rank) {
  if (!report.rank(rank) || report.rank(rank)->network.rate.value <= 0) return std::nullopt;
  return transport::BytesPerSecond{report.rank(rank)->network.rate.value *
                                   report.placement().ranks_on_host_of(rank)};
}

}  // namespace

std::optional<HostRates> host_rates(const JobReport& report) {
  std::optional<HostRates> rates;
  for (Rank rank = 0; rank < report.size(); ++rank) {
    const auto of_host = rate_of_host(report, rank);
    if (!of_host) continue;
    if (!rates) rates = HostRates{*of_host, *of_host};
    rates->least = std::min(rates->least, *of_host);
    rates->most = std::max(rates->most, *of_host);
  }
  return rates;
}

std::optional<SlowHost> slowest_below_told(const JobReport& report) {
  constexpr double far_below = 0.5;
  std::optional<SlowHost> slowest;
  const bool told_each_host = !report.options().rates.empty();
  for (Rank rank = 0; rank < report.size(); ++rank) {
    if (told_each_host && report.placement().moved.contains(rank)) continue;  // that was of the lost host
    const auto of_host = rate_of_host(report, rank);
    const auto told = report.options().rate_of(rank);
    if (!of_host || !told || of_host->value >= far_below * told->value) continue;
    if (!slowest || *of_host < slowest->rate) slowest = SlowHost{rank, *of_host, *told};
  }
  return slowest;
}

transport::BytesPerSecond goodput(const JobReport& report) {
  const double seconds = report.communicate().count();
  return {seconds > 0 ? static_cast<double>(report.traffic().payload_bytes_sent) / seconds : 0};
}

}  // namespace lbsp::launch::report
