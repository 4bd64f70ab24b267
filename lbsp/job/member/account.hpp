#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "lbsp/job/member/held_exchange.hpp"
#include "lbsp/job/member/observed_exchange.hpp"
#include "lbsp/job/member/tell.hpp"
#include "lbsp/job/member/told_steps.hpp"
#include "lbsp/job/messages.hpp"
#include "lbsp/world.hpp"
#include "transport/path_log.hpp"

namespace lbsp::job::member {

/// What a rank tells the launcher of what it has done: all at its end, and what there is so far whenever it is asked.
class Account {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Of the rank that exchanges by these, which must live as long, and has joined the job just now.
  Account(Tell tell, ObservedExchange& observed, HeldExchange& exchange)
      : tell_(std::move(tell)), observed_(observed), exchange_(exchange) {}

  /// What joining the job took, for the report.
  void joined_in(Seconds start) { start_ = start; }
  /// What leaving it took.
  void left_in(Seconds end) { end_ = end; }
  Seconds since_joining() const { return std::chrono::steady_clock::now() - joined_; }

  /// Keeps what a trace has. Before there is a World.
  void trace() { steps_.trace(); }
  /// Tells of the datagrams that the log has, too, if there is one.
  void trace(std::shared_ptr<const transport::PathLog> log) { steps_.trace(std::move(log)); }

  /// From here on report_so_far() tells the supersteps of this World too, which must live until report(). The World
  /// keeps what a trace has if this does.
  void watch(World& world);
  /// Of this World, which is over after so long and which another one follows, the report has the sums only. Its last
  /// sync, which is in no superstep's figures as it was never complete, ended then.
  void leave_world(const World& world, Seconds ran, Time ended);

  /// Tells what the program cost, whose last World ran for so long.
  void report(const World& world, Seconds ran);
  /// Tells what the rank has done so far, unless report() has told all. Any thread may call it, also when the rank has
  /// let go of its exchange.
  void report_so_far();
  /// Tells how far the rank is, for somebody who watches. Any thread may call it likewise.
  void show();

 private:
  /// With telling_ locked.
  RankReport so_far() const;
  std::optional<transport::Duration> network_thread_time();

  Tell tell_;
  ObservedExchange& observed_;
  HeldExchange& exchange_;
  std::mutex telling_;  ///< what has been told, in report() and in report_so_far()
  const World* world_ = nullptr;
  ToldSteps steps_;
  bool reported_ = false;
  Time began_;  ///< of world_
  Seconds start_{0};
  Seconds end_{0};
  RankReport earlier_;  ///< of the worlds before: supersteps, time, traffic, and waiting in vain
  Time joined_ = std::chrono::steady_clock::now();
};

}  // namespace lbsp::job::member
