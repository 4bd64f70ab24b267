#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/job/member/missing_states.hpp"
#include "lbsp/job/member/observed_exchange.hpp"
#include "lbsp/job/member/tell.hpp"
#include "lbsp/job/member/told_steps.hpp"
#include "lbsp/job/messages.hpp"
#include "lbsp/survival/carried.hpp"
#include "lbsp/world.hpp"

namespace lbsp::job::member {

/// One rank of this process, and what it tells the launcher.
class Member {
 public:
  Member(std::unique_ptr<transport::Exchange> exchange, Tell tell, Survival survival = {});

  /// The process is a new one in a lost one's place, and this is how it got it. Before run().
  void come_to(const transport::WorldChange& change);

  /// What joining the job took, for the report.
  void joined_in(Seconds start) { start_ = start; }
  /// What leaving it took.
  void left_in(Seconds end) { end_ = end; }

  /// Keeps what a trace has. Before run().
  void trace() { steps_.trace(); }
  /// Tells of the datagrams that the log has, too, if there is one.
  void trace(std::shared_ptr<const transport::PathLog> log) { steps_.trace(std::move(log)); }

  ObservedExchange& exchange() { return observed_; }

  /// Runs the program as this rank, to its report: once in each world of the job. Returns whether it came to its end.
  /// Throws what telling throws.
  bool run(const std::function<void(World&)>& program);

  /// Tells the launcher that this rank's program has failed, unless World::abort has told it, and unless another rank's
  /// failure is the cause, tells the other ranks too. Returns what was told.
  std::string fail(const std::exception_ptr& thrown);

  /// From here on report_so_far() tells the supersteps of this World too, which must live until report(). The World
  /// keeps what a trace has if this Member does.
  void watch(World& world);

  /// Of this World, which is over after so long and which another one follows, the report has the sums only.
  void leave_world(const World& world, Seconds ran);

  /// Tells the launcher what the program cost, whose last World ran for so long.
  void report(const World& world, Seconds ran);
  void report(const World& world) { report(world, world.time()); }

  /// Tells the launcher what the rank has done so far, unless report() has told all. Any thread may call it, also
  /// after leave().
  void report_so_far();

  /// Tells the launcher how far the rank is, for somebody who watches. Any thread may call it, also after leave().
  void show();

  /// Whom this rank waits for, a few at most: as Exchange::awaited(). Any thread may call it, also after leave().
  std::vector<Rank> awaited() {
    const std::lock_guard lock(telling_);
    std::vector<Rank> ranks = inner_ ? inner_->awaited() : std::vector<Rank>{};
    ranks.resize(std::min(ranks.size(), most_awaited_told));
    return ranks;
  }

  /// Takes what the launcher says of another rank. Any thread may call it, also after leave().
  void take_notice(const LossNotice& notice);
  void take_departures(const std::vector<Rank>& ranks) {
    const std::lock_guard lock(telling_);
    if (inner_) inner_->take_departures(ranks);
  }

  /// As lbsp::job::member::missing_states() of this rank. Any thread may call it.
  bool lacks_states() const { return carried_.lacks_states(); }
  std::optional<std::string> missing_states() const {
    return member::missing_states(carried_, observed_.supersteps(),
                                  std::chrono::steady_clock::now() - joined_);
  }

  /// Whether it is rank 0 of its world. Any thread may call it; after leave() it is not.
  bool leads();

  /// Lets go of the network. The World must not be used after it.
  void leave();

 private:
  enum class Outcome { finished, failed, world_changed };
  void tell_failure(const Failure& failure);
  void tell_abort(std::string_view reason) noexcept;
  /// The launcher learns of the change …
  void take_note(const Changed& change, std::optional<std::chrono::steady_clock::time_point> sync_began);
  /// … and when the first superstep of the new world is complete.
  void tell_when_resumed();
  /// In a child made by fork() only: what it has thrown, or that it has returned from the program.
  void end_child(const std::exception_ptr& thrown);
  Outcome run_in_world(const std::function<void(World&)>& program);
  /// With telling_ locked.
  RankReport so_far() const;
  std::optional<transport::Duration> network_thread_time();

  Tell tell_;
  std::mutex telling_;  ///< what has been told, in report() and in report_so_far(), and leave()
  const World* world_ = nullptr;
  std::atomic<bool> failure_told_ = false;
  ToldSteps steps_;
  bool reported_ = false;
  std::chrono::steady_clock::time_point began_;  ///< of world_
  Seconds start_{0};
  Seconds end_{0};
  std::chrono::steady_clock::time_point
      changed_at_;  ///< when this rank came to its world, if that is not the first
  /// Since when it was in the sync that the change has ended; none: it is a new process, or has got on since.
  std::optional<std::chrono::steady_clock::time_point> in_vain_since_;
  RankReport earlier_;  ///< of the worlds before: supersteps, time, traffic, and waiting in vain
  Carried carried_;
  std::chrono::steady_clock::time_point joined_ = std::chrono::steady_clock::now();
  std::unique_ptr<transport::Exchange> inner_;
  ObservedExchange observed_;
};

}  // namespace lbsp::job::member
