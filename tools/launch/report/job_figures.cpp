#include "tools/launch/report/job_figures.hpp"

#include <algorithm>

namespace lbsp::launch::report {
namespace {

/// Of the rank's host, of which a rank's is an equal part; none: no rate is kept, or it has not told.
std::optional<transport::BytesPerSecond> rate_of_host(const JobReport& report, Rank rank) {
  if (!report.rank(rank) || report.rank(rank)->network.rate.value <= 0) return std::nullopt;
  return transport::BytesPerSecond{report.rank(rank)->network.rate.value *
                                   report.placement().ranks_on_host_of(rank)};
}

}  // namespace

std::uint64_t supersteps_of(const JobReport& report) {
  std::uint64_t most = 0;
  for (const auto& rank : report.ranks())
    if (rank) most = std::max(most, rank->supersteps);
  return most;
}

Seconds slowest_of(const JobReport& report, Seconds job::RankReport::*part) {
  Seconds longest{0};
  for (const auto& rank : report.ranks())
    if (rank) longest = std::max(longest, (*rank).*part);
  return longest;
}

Seconds total_time(const JobReport& report) {
  return slowest_of(report, &job::RankReport::total);
}

Seconds compute_time(const JobReport& report) {
  const StepRecords& records = report.records();
  // After the last superstep.
  Seconds longest_rest{0};
  for (Rank rank = 0; rank < report.size(); ++rank) {
    const auto& of_rank = report.rank(rank);
    if (of_rank) longest_rest = std::max(longest_rest, of_rank->totals.compute - records.compute_of(rank));
  }
  return std::min(records.compute() + longest_rest, total_time(report));
}

Seconds communicate_time(const JobReport& report) {
  return total_time(report) - compute_time(report);
}

transport::TrafficCounters traffic_of(const JobReport& report) {
  transport::TrafficCounters sum;
  for (const auto& rank : report.ranks())
    if (rank) sum += rank->totals.traffic;
  return sum;
}

std::uint32_t epoch_of(const JobReport& report) {
  std::uint32_t newest = 0;
  for (const auto& rank : report.ranks())
    if (rank) newest = std::max(newest, rank->epoch);
  return newest;
}

transport::NetworkMeasure network_of(const JobReport& report) {
  transport::NetworkMeasure mean;
  double lost = 0;
  double round_trip_times = 0;
  double timed = 0;
  double bandwidths = 0;
  double fast = 0;
  for (const auto& rank : report.ranks()) {
    if (!rank) continue;
    const transport::NetworkMeasure& one = rank->network;
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
    mean.rate.value += one.rate.value / static_cast<double>(report.reported());
  }
  if (mean.loss_sample > 0) mean.loss = lost / static_cast<double>(mean.loss_sample);
  if (timed > 0)
    mean.round_trip_time = transport::Duration{static_cast<std::int64_t>(round_trip_times / timed)};
  if (fast > 0) mean.bandwidth.value = bandwidths / fast;
  return mean;
}

int most_copies(const JobReport& report) {
  if (report.options().backend != job::Backend::udp) return 1;
  const transport::ExchangeOptions& exchange = report.options().exchange;
  if (exchange.redundancy == transport::Redundancy::fixed) return exchange.copies;
  int most = 0;
  for (const auto& rank : report.ranks())
    if (rank) most = std::max(most, rank->totals.forecast.most_copies);
  return most;
}

double mean_copies(const JobReport& report) {
  const auto sum = traffic_of(report);
  const auto redundant = sum.copies_sent + sum.coded_sent;
  const auto first = sum.segments_sent - sum.segments_resent - redundant;
  if (first == 0) return 1;
  return 1 + static_cast<double>(redundant) / static_cast<double>(first);
}

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
  const double seconds = communicate_time(report).count();
  return {seconds > 0 ? static_cast<double>(traffic_of(report).payload_bytes_sent) / seconds : 0};
}

}  // namespace lbsp::launch::report
