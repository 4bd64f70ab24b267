#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/members/joining_hosts.hpp"
#include "tools/launch/members/loss_notices.hpp"
#include "tools/launch/members/replacements.hpp"
#include "tools/launch/members/silent_ranks.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "tools/launch/survival/loss_judge.hpp"
#include "tools/uv/loop.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::members {

/// Who is in a job that goes on without lost ranks: what is done when one is lost, is back, or joins.
class Members {
 public:
  struct Calls {
    std::function<void(const std::string&)> say;        ///< to the user
    std::function<void(const job::Changed&)> on_world;  ///< the ranks go on in a new world
    JoiningHosts::Calls joining;
  };

  /// All must outlive it.
  Members(uv::Loop& loop, course::Job& job, course::Ending& ending, Calls calls);

  JoiningHosts& joining() { return joining_; }

  // What a rank tells.
  void take_changed(const job::Changed& change);
  void take_left(const job::LeftWorld& left);
  void take_missed(Rank from, const job::Missed& missed) { silent_.take(from, missed); }
  /// The others go on without it.
  void take_exclusion(const ranks::JobProcess& process, Rank rank, const std::string& message);
  /// Something of a process without a place in the job. Returns whether it is to be taken as that of any other is.
  bool take_from_outside(ranks::JobProcess& process, const job::Frame& frame);

  /// A process has ended, and the others go on without it.
  void lose(const ranks::JobProcess& process, const std::string& how);
  /// The host is gone, and with it all its processes; those elsewhere go on.
  void lose_host(std::size_t host, const std::string& why);
  /// The host is gone: no process may be started there.
  void lose_spares(std::size_t host) { replacements_.lose_host(host); }
  /// When only lost ranks are left, they are ended, and the job is over.
  void end_without_the_lost();

 private:
  void change_world(const job::Changed& change);
  void seat_newcomer(Rank rank, std::uint32_t number, const job::Changed& change);
  void take_greeting(ranks::JobProcess& newcomer, const job::Hello& hello);
  void take_end(ranks::JobProcess& process, const job::Exited& end);

  course::Job& job_;
  course::Ending& ending_;
  std::function<void(const job::Changed&)> on_world_;
  Replacements replacements_;
  LossNotices notices_;
  SilentRanks silent_;
  survival::LossJudge judge_;
  JoiningHosts joining_;
};

}  // namespace lbsp::launch::members
