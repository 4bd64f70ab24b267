#include "transport/probe/schedule.hpp"

#include <algorithm>

namespace lbsp::transport::probe {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using transport::Duration;

constexpr std::array<Duration, 3> dense{milliseconds{0}, milliseconds{0}, milliseconds{1}};
constexpr std::array<Duration, 6> sparse{milliseconds{0}, milliseconds{0},  milliseconds{1},
                                         milliseconds{5}, milliseconds{20}, milliseconds{50}};

bool is_dense(const SizePlan& plan) {
  return plan.period_microseconds < LossSchedule::least_sparse_period_microseconds;
}

std::size_t per_period(const SizePlan& plan) {
  return is_dense(plan) ? dense.size() : sparse.size();
}

Duration offset(const SizePlan& plan, std::size_t index) {
  const std::size_t size = per_period(plan);
  const Duration period = microseconds{plan.period_microseconds};
  return static_cast<Duration::rep>(index / size) * period +
         (is_dense(plan) ? dense[index % size] : sparse[index % size]);
}

std::uint32_t share(std::uint32_t count, std::uint32_t round, std::uint32_t rounds) {
  const std::uint64_t whole = count;
  return static_cast<std::uint32_t>(whole * (round + 1) / rounds - whole * round / rounds);
}

/// The place of a datagram of the block that left `spacing` after the one at `first`, about; or `end`.
std::size_t find_second(const std::vector<LossSchedule::Departure>& departures, std::size_t first,
                        std::size_t end, Duration spacing) {
  const Duration tolerance = std::max<Duration>(spacing / 5, microseconds{100});
  const auto earliest = departures[first].time + spacing - tolerance;
  for (std::size_t i = first + 1; i < end; ++i) {
    if (departures[i].time < earliest) continue;
    return departures[i].time <= earliest + 2 * tolerance ? i : end;
  }
  return end;
}

void add_block(LossSummary& summary, const std::vector<LossSchedule::Departure>& departures,
               const std::vector<bool>& arrived, std::size_t begin, std::size_t end) {
  summary.sent += static_cast<std::uint32_t>(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (arrived[i]) continue;
    ++summary.lost;
    if (i == begin || arrived[i - 1]) ++summary.runs;
    for (std::size_t k = 0; k < copy_spacings.size(); ++k) {
      const std::size_t second = find_second(departures, i, end, copy_spacings[k]);
      if (second == end) continue;
      ++summary.copies[k].first_lost;
      if (!arrived[second]) ++summary.copies[k].both_lost;
    }
  }
}

}  // namespace

LossSchedule::LossSchedule(std::vector<SizePlan> sizes, int rounds) : sizes_(std::move(sizes)) {
  Duration start{0};
  std::uint16_t block = 0;
  const auto turns = static_cast<std::uint32_t>(rounds);
  for (std::uint32_t round = 0; round < turns; ++round) {
    for (std::size_t size = 0; size < sizes_.size(); ++size, ++block) {
      const std::uint32_t count = share(sizes_[size].count, round, turns);
      if (count == 0) continue;
      for (std::size_t i = 0; i < count; ++i)
        departures_.push_back({start + offset(sizes_[size], i), static_cast<std::uint16_t>(size), block});
      start = departures_.back().time + pause;
    }
  }
}

LossSchedule LossSchedule::taking_turns(std::vector<SizePlan> sizes) {
  LossSchedule schedule;
  Duration time{0};
  std::uint16_t block = 0;
  bool more = true;
  for (std::uint32_t turn = 0; more; ++turn) {
    more = false;
    for (std::size_t size = 0; size < sizes.size(); ++size) {
      if (turn >= sizes[size].count) continue;
      schedule.departures_.push_back({time, static_cast<std::uint16_t>(size), block++});
      time += microseconds{sizes[size].period_microseconds};
      more = true;
    }
  }
  schedule.sizes_ = std::move(sizes);
  return schedule;
}

SizePlan plan_size(std::uint32_t bytes, std::uint32_t count, transport::BytesPerSecond rate) {
  const auto period_for = [&](std::size_t datagrams) {
    return static_cast<std::uint32_t>(
        std::min(60e6, static_cast<double>(datagrams) * bytes / rate.value * 1e6));
  };
  if (period_for(dense.size()) <= LossSchedule::dense_period_microseconds)
    return {bytes, count, LossSchedule::dense_period_microseconds};
  return {bytes, count, std::max(LossSchedule::least_sparse_period_microseconds, period_for(sparse.size()))};
}

Duration length_of(const SizePlan& plan) {
  return plan.count == 0 ? Duration{0} : offset(plan, plan.count - 1) + LossSchedule::pause;
}

std::vector<LossSummary> summarise(const LossSchedule& schedule, const std::vector<bool>& arrived) {
  std::vector<LossSummary> summaries(schedule.sizes().size());
  const auto& departures = schedule.departures();
  for (std::size_t begin = 0; begin < departures.size();) {
    std::size_t end = begin + 1;
    while (end < departures.size() && departures[end].block == departures[begin].block)
      ++end;
    add_block(summaries[departures[begin].size], departures, arrived, begin, end);
    begin = end;
  }
  return summaries;
}

}  // namespace lbsp::transport::probe
