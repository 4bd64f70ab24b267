#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "transport/simulated/running_job.hpp"

namespace lbsp::plan {

/// A running job, and what its ranks forecast for its supersteps.
class ForecastsOfJob {
 public:
  ForecastsOfJob(const transport::SimulationConfig& config, transport::RunningJob::SizeOf size_of,
                 const std::vector<transport::Duration>& later = {})
      : begun_(static_cast<std::size_t>(config.size)) {
    job_.emplace(
        config,
        [this, size_of = std::move(size_of)](Rank from, Rank to) {
          if (to == (from == 0 ? 1 : 0)) note_last(from);
          return size_of(from, to);
        },
        later);
  }

  transport::RunningJob& job() { return *job_; }
  /// The longest of the ranks', as in a report, of each superstep that all have ended; 0: none had one.
  const std::vector<transport::Forecast>& longest() const { return longest_; }

 private:
  /// When a rank begins a superstep, its forecast is still that of the one before.
  void note_last(Rank rank) {
    const std::size_t before = begun_[static_cast<std::size_t>(rank)]++;
    if (before == 0) return;
    const transport::Forecast forecast = job_->network().endpoint(rank).forecast();
    if (longest_.size() < before) longest_.resize(before);
    if (forecast.duration > longest_[before - 1].duration) longest_[before - 1] = forecast;
  }

  std::vector<std::size_t> begun_;  ///< supersteps, by rank
  std::vector<transport::Forecast> longest_;
  std::optional<transport::RunningJob> job_;
};

}  // namespace lbsp::plan
