#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "lbsp/job/messages.hpp"
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "tools/launch/survival/newcomer_watch.hpp"
#include "tools/launch/survival/spare_slots.hpp"
#include "tools/uv/loop.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::members {

/// New processes in the places of lost ranks (--on-failure respawn).
class Replacements {
 public:
  using Loss = survival::SpareSlots::Loss;

  struct Calls {
    std::function<void(const std::string&)> say;  ///< to the user
    std::function<void()> on_given_up;            ///< the ranks wait in vain for one
  };

  /// All must outlive it.
  Replacements(uv::Loop& loop, course::Job& job, const course::Ending& ending, Calls calls);

  /// Starts one for a rank that is lost, if the job wants one, and there is a slot.
  void begin(const ranks::JobProcess& lost, Loss loss);
  /// One has said hello.
  void greeted(Rank rank) { newcomers_.greeted(rank); }
  /// Nobody waits for that rank's any more, in the newest world.
  bool is_in_vain(Rank rank) const { return newcomers_.is_in_vain(rank); }

  /// The ranks go on in a new world: those of ranks that are lost from it are ended, as nobody lets them in any more.
  void begin_world(const job::Changed& change);
  /// It has got the place. Where it has ended since, there may be another new process for it.
  void seat(ranks::JobProcess& newcomer);
  /// It is not needed: the rank is where it was.
  void dismiss(ranks::JobProcess& newcomer);

  /// The job has a host more, which has no slots for them.
  void add_host() { slots_.add_host(); }
  /// A host is gone.
  void lose_host(std::size_t host) { slots_.lose(host); }

 private:
  void say_who_is_awaited(Rank rank);
  void give_up(Rank rank);

  course::Job& job_;
  const course::Ending& ending_;
  Calls calls_;
  survival::SpareSlots slots_;
  survival::NewcomerWatch newcomers_;
};

}  // namespace lbsp::launch::members
