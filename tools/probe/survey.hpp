#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/launch/hosts/line_worker.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/probe/options.hpp"
#include "tools/probe/pair_queue.hpp"
#include "tools/probe/survey_plan.hpp"
#include "tools/probe/worker_protocol.hpp"
#include "tools/profile/profile.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::probe {

/// Measures pairs of hosts. A worker is started on each, here or through an agent (ssh) as for lbsp run, and
/// gets a new key over that connection; workers of a pair measure by UDP. PairQueue says which pair when.
///
/// A host that cannot be reached, or a pair that cannot be measured, is told in a line; the others go on. The
/// pair is tried again after them, and is in the profile as failed if that does not help.
class Survey {
 public:
  Survey(const ProbeOptions& options, SurveyPlan plan);

  /// Called whenever a pair is measured.
  void on_pair(std::function<void(const Survey&)> call) { on_pair_ = std::move(call); }

  /// All is measured that can be. Throws UsageError or SystemError if nothing could be started.
  void run();

  /// What is known so far.
  profile::Profile profile() const;
  /// Pairs that were to be measured, and were not.
  std::size_t missing() const { return queue_.left() + queue_.failures().size(); }
  /// The signal that ended it before; 0: none.
  int interrupted_by() const { return interrupted_by_; }

 private:
  struct Worker {
    std::unique_ptr<launch::hosts::LineWorker> lines;  ///< none: it is not needed
    std::uint16_t port = 0;                            ///< 0: not ready
    int partner = -1;                                  ///< the pair it is busy with
    Pair pair{};                                       ///< that it is measuring itself
    bool measuring = false;
    bool failed = false;
    std::unique_ptr<uv::Timer> patience;
  };

  bool is_needed(int index) const;
  void start_worker(int index);
  void take_line(int index, const std::string& line);
  void take_done(int index, const Done& done);
  void keep(const Pair& pair, const PairResult& result);
  void fail(int index, const std::string& why);
  void start_pairs();
  void start_pair(const Pair& pair);
  void release(int index);
  void finish_if_done();
  void finish();
  void show_progress();
  void say(const std::string& line);
  Worker& worker(int index) { return *workers_[static_cast<std::size_t>(index)]; }
  const Worker& worker(int index) const { return *workers_[static_cast<std::size_t>(index)]; }
  const launch::places::PlacedHost& placed(int index) const {
    return placement_.hosts[static_cast<std::size_t>(index)];
  }

  ProbeOptions options_;
  launch::request::RunOptions run_options_;
  launch::places::Placement placement_;
  std::vector<Pair> pairs_;  ///< to be measured
  PairQueue queue_;
  transport::JobKey key_;
  profile::Profile profile_;
  uv::Loop loop_;
  launch::hosts::HostStarts starts_;
  uv::Timer start_timer_;
  uv::Timer end_timer_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::function<void(const Survey&)> on_pair_;
  int limited_by_sender_ = 0;  ///< entries of all pairs
  std::vector<std::string> limited_pairs_;
  bool finishing_ = false;
  int interrupted_by_ = 0;
  bool progress_shown_ = false;
};

}  // namespace lbsp::probe
