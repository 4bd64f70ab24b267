#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/estimate/model_estimates.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/report/step_records.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/launch/survival/losses.hpp"

namespace lbsp::launch::report {

/// What a job cost, gathered from its ranks' reports.
class JobReport {
 public:
  JobReport(const request::RunOptions& options, const places::Placement& placement);

  /// The job has no more ranks than these. Before any report, or when ranks join.
  void set_size(Rank size);
  void add_host(const places::PlacedHost& host) { placement_.hosts.push_back(host); }

  /// A new process has the place of a lost rank, on the host of that number.
  void move(Rank rank, std::size_t host);

  /// Ranks of one host exchange through memory, and if `all`, that is all of them.
  void set_shared_memory(bool all) {
    shared_memory_ = true;
    if (all) options_.backend = job::Backend::shared_memory;
  }
  bool shared_memory() const { return shared_memory_; }

  /// As StepRecords::add().
  bool add(Rank rank, const job::Steps& steps) { return records_.add(rank, steps); }
  void add(Rank rank, const job::RankReport& report);
  /// What a rank has done that is not at its end. Its report, if it still comes, takes the place.
  void add_unfinished(Rank rank, const job::RankReport& report);
  /// The job has not come to its end, and why.
  void set_unfinished(const std::string& reason) { reason_ = reason; }

  /// What the models say of the whole run (models_of()).
  void set_models(std::vector<estimate::ModelEstimate> models) { models_ = std::move(models); }
  const std::vector<estimate::ModelEstimate>& models() const { return models_; }

  /// Why the job has not come to its end; none if it has.
  const std::optional<std::string>& reason() const { return reason_; }
  /// How many ranks have been in the job: all, but for those that were to join and never did.
  Rank took_part() const;
  /// How many ranks have told what they did, to the end or not.
  Rank reported() const;
  /// All ranks have reported, but for those that were lost where the job goes on without them.
  bool complete() const;
  survival::Losses& losses() { return losses_; }
  const survival::Losses& losses() const { return losses_; }
  /// True if any rank found the answer right and none found it wrong.
  std::optional<bool> verified() const;

  const request::RunOptions& options() const { return options_; }
  const places::Placement& placement() const { return placement_; }
  /// Of how many ranks the job was.
  Rank size() const { return static_cast<Rank>(ranks_.size()); }

  /// What the ranks have told, each at its end or before: none of one that has told nothing.
  const std::vector<std::optional<job::RankReport>>& ranks() const { return ranks_; }
  const std::optional<job::RankReport>& rank(Rank rank) const {
    return ranks_[static_cast<std::size_t>(rank)];
  }
  /// What the ranks have told of their supersteps.
  const StepRecords& records() const { return records_; }

  /// Whom the others waited for when the job was ended, and for how long.
  struct Standstill {
    std::vector<Rank> ranks;
    Seconds waited{0};
  };
  /// None if no rank had waited for long.
  std::optional<Standstill> standstill() const;

 private:
  request::RunOptions options_;
  places::Placement placement_;
  std::vector<std::optional<job::RankReport>> ranks_;
  StepRecords records_;
  std::vector<bool> at_its_end_;  ///< by rank
  bool shared_memory_ = false;
  survival::Losses losses_;
  std::optional<std::string> reason_;
  std::vector<estimate::ModelEstimate> models_;
};

}  // namespace lbsp::launch::report
