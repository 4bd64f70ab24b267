#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lbsp/job/member/account.hpp"
#include "lbsp/job/member/change_news.hpp"
#include "lbsp/job/member/failure_news.hpp"
#include "lbsp/job/member/held_exchange.hpp"
#include "lbsp/job/member/missing_states.hpp"
#include "lbsp/job/member/observed_exchange.hpp"
#include "lbsp/job/member/tell.hpp"
#include "lbsp/survival/carried.hpp"
#include "lbsp/world.hpp"

namespace lbsp::job::member {

/// One rank of this process, and what it tells the launcher.
class Member {
 public:
  Member(std::unique_ptr<transport::Exchange> exchange, Tell tell, Survival survival = {});

  /// The process is a new one in a lost one's place, and this is how it got it. Before run().
  void come_to(const transport::WorldChange& change);

  ObservedExchange& exchange() { return observed_; }
  /// What the rank says of what it has done.
  Account& account() { return account_; }
  /// Its exchange as other threads may know it.
  HeldExchange& held() { return held_; }

  /// Runs the program as this rank, to its report: once in each world of the job. Returns whether it came to its end.
  /// Throws what telling throws.
  bool run(const std::function<void(World&)>& program);

  /// Tells the launcher that this rank's program has failed, unless World::abort has told it, and unless another rank's
  /// failure is the cause, tells the other ranks too. Returns what was told.
  std::string fail(const std::exception_ptr& thrown);

  /// This World, which has run for so long, is over by the change that was told of last, and another one follows.
  void leave_world(const World& world, Seconds ran);

  /// As lbsp::job::member::missing_states() of this rank. Any thread may call it.
  bool lacks_states() const { return carried_.lacks_states(); }
  std::optional<std::string> missing_states() const {
    return member::missing_states(carried_, observed_.supersteps(), account_.since_joining());
  }

  /// Lets go of the network. The World must not be used after it.
  void leave() { held_.let_go(); }

 private:
  enum class Outcome { finished, failed, world_changed };
  Outcome run_in_world(const std::function<void(World&)>& program);
  void tell_when_resumed();
  /// In a child made by fork() only: what it has thrown, or that it has returned from the program.
  void end_child(const std::exception_ptr& thrown);

  Tell tell_;
  FailureNews failures_;
  ChangeNews changes_;
  Carried carried_;
  HeldExchange held_;
  ObservedExchange observed_;
  Account account_;
};

}  // namespace lbsp::job::member
