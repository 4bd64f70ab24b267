#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lbsp/job/frame.hpp"
#include "tools/probe/options.hpp"
#include "tools/probe/pair_schedule.hpp"
#include "tools/probe/worker_protocol.hpp"
#include "tools/profile/profile.hpp"
#include "tools/run/host.hpp"
#include "tools/run/placement.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::probe_command {

/// Measures pairs of hosts. A worker is started on each, here or through an agent (ssh) as for lbsp run, and
/// gets a new key over that connection; workers of a pair measure by UDP. As many pairs at a time as have no
/// host in common.
///
/// A host that cannot be reached, or a pair that cannot be measured, is told in a line; the others go on.
class Survey {
 public:
  explicit Survey(const ProbeOptions& options);

  /// All is measured that can be. Throws UsageError or SystemError if nothing could be started.
  void run();

  const profile::Profile& profile() const { return profile_; }
  /// Pairs that were to be measured, and are not in the profile.
  std::size_t missing() const { return missing_; }
  bool interrupted() const { return interrupted_; }

 private:
  struct Worker {
    std::unique_ptr<launch::Host> host;
    std::uint16_t port = 0;  ///< 0: not ready
    int partner = -1;        ///< the pair it is busy with
    Pair pair{};             ///< that it is measuring itself
    bool measuring = false;
    bool failed = false;
    bool gone = false;
    std::string last_words;
    std::unique_ptr<uv::Timer> patience;
  };

  void start_worker(int index);
  void take(int index, const job::Frame& frame);
  void take_line(int index, const std::string& line);
  void take_done(int index, const Done& done);
  void fail(int index, const std::string& why);
  void start_pairs();
  void start_pair(const Pair& pair);
  void release(int index);
  bool is_idle(int index) const;
  void finish_if_done();
  void finish();
  void show_progress();
  void say(const std::string& line);
  Worker& worker(int index) { return *workers_[static_cast<std::size_t>(index)]; }
  const Worker& worker(int index) const { return *workers_[static_cast<std::size_t>(index)]; }
  const launch::PlacedHost& placed(int index) const {
    return placement_.hosts[static_cast<std::size_t>(index)];
  }

  ProbeOptions options_;
  launch::RunOptions run_options_;
  launch::Placement placement_;
  transport::JobKey key_;
  profile::Profile profile_;
  uv::Loop loop_;
  uv::Timer start_timer_;
  uv::Timer end_timer_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Pair> waiting_;
  std::size_t all_pairs_ = 0;
  std::size_t missing_ = 0;
  bool finishing_ = false;
  bool interrupted_ = false;
  bool progress_shown_ = false;
};

}  // namespace lbsp::probe_command
