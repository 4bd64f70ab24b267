#pragma once

#include <exception>
#include <memory>
#include <optional>

#include "lbsp/bsplib/number.hpp"
#include "lbsp/job/channel.hpp"
#include "lbsp/job/joining/pmix_client.hpp"
#include "lbsp/job/joining/start_up.hpp"
#include "lbsp/job/member/member.hpp"
#include "lbsp/job/member/watch.hpp"
#include "lbsp/world.hpp"
#include "transport/exchange.hpp"

namespace lbsp::bsplib {

/// The job of a process of bsp.h, whatever has started it: lbsp run, whose launcher is told how the job goes; srun,
/// mpirun or the like; or nobody, and then the process is alone in it. How the process comes in, what it tells there,
/// and how it leaves.
class OwnJob {
 public:
  /// Says hello to whatever has started this process. Throws UsageError if a program of bsp.h cannot be started so.
  void arrive();
  /// Becomes a rank of the job, of `processes` if there are so many; only rank 0's count. False: this process is
  /// surplus, and has left it.
  bool join(Number processes);
  /// Lets go of the network.
  void leave();

  Rank rank() const { return rank_; }
  /// The processes that were started. As many as have joined are in exchange().
  Rank size() const { return size_; }
  /// After join().
  transport::Exchange& exchange() { return member_ ? member_->exchange() : *alone_; }

  // What the job is told. Worlds are those of the SPMD parts, one after the other.

  void world_begins(World& world);
  /// What this one has cost, which ran for so long, of it so long in its end.
  void world_ends(const World& world, Seconds ran, Seconds ending);
  /// Another one follows it.
  void another_follows(const World& world, Seconds ran);
  /// Something was thrown that ends the process; in this world, the last one, after so long: null if there was none.
  void fail(const std::exception_ptr& thrown, const World* world, Seconds ran);
  /// Nothing more comes from the launcher.
  void stop_watching() { watch_.reset(); }

 private:
  bool enter(Number processes);
  bool enter_under_pmix(Number processes);

  Rank rank_ = 0;
  Rank size_ = 1;
  std::unique_ptr<job::Channel> channel_;           ///< none without a launcher
  std::unique_ptr<job::joining::PmixClient> site_;  ///< none unless srun, mpirun or the like is the starter
  std::optional<job::joining::Arrival> arrival_;
  std::unique_ptr<transport::Exchange> alone_;
  std::unique_ptr<job::member::Member> member_;  ///< none without a launcher or such a starter
  std::unique_ptr<job::member::Watch> watch_;
};

}  // namespace lbsp::bsplib
