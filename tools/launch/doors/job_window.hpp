#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/listener.hpp"
#include "tools/uv/loop.hpp"
#include "tools/uv/stream.hpp"

namespace lbsp::launch::doors {

/// Lets others watch the job: answers each connection to its socket (tools/watch/job_socket.hpp) with what the ranks
/// say of themselves at that moment. A rank that does not answer within a third of a second is shown as silent, with
/// what it said last.
class JobWindow {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  struct Calls {
    std::function<void()> ask;                    ///< sends every process of the job a look frame
    std::function<void(const std::string&)> say;  ///< to the user of the job
  };

  /// All must outlive it.
  JobWindow(uv::Loop& loop, const request::RunOptions& options, const places::Placement& placement,
            Calls calls);

  /// All ranks are there, and what carries their messages is known.
  void open(Rank size, job::Backend backend);
  /// Ranks have joined.
  void set_size(Rank size) { ranks_.resize(static_cast<std::size_t>(size)); }
  /// The job ends.
  void close();

  void take(Rank rank, const job::RankReport& seen);
  /// The rank has come to its end.
  void ended(Rank rank, const job::RankReport& report);
  /// The job goes on with the members; the others are lost.
  void go_on_with(const job::Changed& change);

 private:
  struct Sight {
    std::optional<job::RankReport> seen;
    bool fresh = false;  ///< it has answered the present question
    bool ended = false;
    bool lost = false;

    bool is_over() const { return ended || lost; }
  };

  void admit(int connection);
  void answer();
  /// How far the foremost rank is.
  struct Foremost {
    std::pair<std::uint32_t, std::uint64_t> place;  ///< the newest epoch, and supersteps in its world
    std::uint64_t before = 0;  ///< supersteps of the job before that: who came with it has not counted them

    /// Of the job, as the rank would have counted them.
    std::uint64_t superstep_of(const job::RankReport& seen) const;
  };
  Foremost foremost() const;
  /// In the newest superstep, for others.
  static bool waits(const Sight& sight, const Foremost& foremost);
  /// The ranks that do not wait, while others do.
  std::vector<Rank> waited_for(const Foremost& foremost) const;
  std::string snapshot() const;

  uv::Loop& loop_;
  const request::RunOptions& options_;
  const places::Placement& placement_;
  Calls calls_;
  uv::Timer patience_;
  std::unique_ptr<uv::Listener> listener_;
  std::vector<std::unique_ptr<uv::Stream>> watchers_;  ///< who await the answer …
  std::vector<std::unique_ptr<uv::Stream>> answered_;  ///< … and who are still getting theirs
  std::vector<Sight> ranks_;
  job::Backend backend_ = job::Backend::udp;
  Instant opened_;
};

}  // namespace lbsp::launch::doors
