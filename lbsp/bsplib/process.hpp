#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

#include "lbsp/bsplib/spmd.hpp"
#include "lbsp/job/channel.hpp"
#include "lbsp/job/member.hpp"
#include "lbsp/job/pmix_client.hpp"
#include "lbsp/job/start_up.hpp"
#include "lbsp/job/watch.hpp"

namespace lbsp::bsplib {

/// This process as a program of bsp.h sees it: from its first call of BSPlib to its exit. Whatever goes wrong
/// ends it, with one line on stderr (the launcher's, if there is one) and exit code 1.
///
/// bsp_init, or whichever call comes first, says hello to the launcher; bsp_begin has rank 0 tell it how many
/// ranks the program wants, and the launcher starts so many and lets the surplus go, before there is a
/// network between them.
class Process {
 public:
  static Process& instance();

  void init(void (*function)());
  void begin(Number processes);
  void end();
  Number nprocs();

  /// Where calls of the SPMD part go; null outside it. Static, for every call asks it.
  static Spmd* running() { return running_; }

  /// Has what is owed said when the process exits.
  void watch_exit();

  [[noreturn]] void fail(const std::exception_ptr& thrown);
  [[noreturn]] void fail(const std::string& message);
  /// "on rank 3 in superstep 5", as far as is known.
  std::string whereabouts() const;
  /// For a message that may be about input that could not be read; most often empty.
  std::string advice_on_input() const;
  std::string whereabouts_after_arrival() {
    arrive();
    return whereabouts();
  }

 private:
  enum class Phase { untouched, arrived, running, over, surplus };

  Process() = default;

  void arrive();
  void refuse_threads();
  void exiting(int code);
  void enter(Number processes);
  void enter_under_pmix(Number processes);
  void stand_alone();
  [[noreturn]] void leave_as_surplus();

  Phase phase_ = Phase::untouched;
  bool initialised_ = false;
  bool exiting_ = false;
  pid_t pid_ = 0;
  Rank rank_ = 0;
  Rank size_ = 1;
  std::unique_ptr<job::Channel> channel_;  ///< none without a launcher
  std::unique_ptr<job::PmixClient> site_;  ///< none unless srun, mpirun or the like is the starter
  std::optional<job::Arrival> arrival_;
  std::unique_ptr<transport::Exchange> alone_;
  std::unique_ptr<job::Member> member_;
  std::unique_ptr<job::Watch> watch_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Spmd> spmd_;
  static inline Spmd* running_ = nullptr;  ///< is spmd_
};

}  // namespace lbsp::bsplib
