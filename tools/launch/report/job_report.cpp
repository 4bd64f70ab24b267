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

}  // namespace lbsp::launch::report