#pragma once

#include <functional>
#include <string>

#include "lbsp/job/messages.hpp"
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/doors/job_door.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "tools/launch/survival/joining.hpp"
#include "tools/uv/loop.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::members {

/// Hosts that join a job that runs, each with a rank more.
class JoiningHosts {
 public:
  struct Calls {
    std::function<void()> on_host;      ///< the job gets a host more
    std::function<void(Rank)> on_size;  ///< it has so many ranks now, with those that are lost
    std::function<void(const std::string&)> say = nullptr;  ///< to the user; Members gives its own
  };

  /// All must outlive it.
  JoiningHosts(uv::Loop& loop, course::Job& job, const course::Ending& ending, Calls calls);

  /// The job runs.
  void open();
  void close() { door_.close(); }
  /// The program can go on with more ranks.
  void allow() { joining_.allow(); }

  /// The process is among the members since that change of the world, though it may have ended: it is lost then.
  void seat(ranks::JobProcess& newcomer, const job::Changed& change);
  /// It will not be.
  void refuse(const ranks::JobProcess& newcomer, const std::string& reason);
  /// It has ended, and has been nobody's rank. One that has been among the members, though they have not said so yet,
  /// is lost from them under that number.
  void free_rank(const ranks::JobProcess& newcomer);
  /// When all others have come to their end, nobody can join any more.
  void refuse_if_none_are_left();

 private:
  doors::JobDoor::Left admit(const std::string& host, const doors::JobDoor::Answer& answer);
  std::string why_nobody_may_join() const;
  void greeting_is_late(const ranks::JobProcess& newcomer);
  void knocking_is_late(const ranks::JobProcess& newcomer);

  course::Job& job_;
  const course::Ending& ending_;
  Calls calls_;
  doors::JobDoor door_;
  survival::Joining joining_;
};

}  // namespace lbsp::launch::members
