#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

#include "lbsp/bsplib/own_job.hpp"
#include "lbsp/bsplib/part_exchange.hpp"
#include "lbsp/bsplib/spmd.hpp"
#include "lbsp/bsplib/spmd_parts.hpp"

namespace lbsp::bsplib {

/// This process as a program of bsp.h sees it: from its first call of BSPlib to its exit. Whatever goes wrong
/// ends it, with one line on stderr (the launcher's, if there is one) and exit code 1.
///
/// bsp_init, or whichever call comes first, says hello to the launcher; the first bsp_begin has rank 0 tell it how
/// many ranks the program wants, and the launcher starts so many and lets the surplus go, before there is a network
/// between them (OwnJob).
///
/// The network lasts to the exit, for the program may have further SPMD parts: each has a World of its own over the
/// first ranks of the job. Where bsp_init was called, all ranks but 0 wait between the parts for what rank 0 does.
class Process {
 public:
  static Process& instance();

  void init(SpmdFunction function);
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
  enum class Phase { untouched, arrived, running, between, over, surplus };

  Process() = default;

  Rank rank() const { return job_.rank(); }
  void arrive();
  /// Becomes a rank of the job: size_, and what the first SPMD part needs. Of `processes` only rank 0's count.
  void join(Number processes);
  [[noreturn]] void serve();
  void begin_again(Number processes);
  void follow();
  [[noreturn]] void wait_for_the_end();

  void act_at_exit();
  void exiting(int code);
  void thread_ends();
  void end_program();
  void take_leave();
  void depart();

  Phase phase_ = Phase::untouched;
  bool initialised_ = false;
  bool exiting_ = false;
  pid_t pid_ = 0;
  Rank size_ = 1;  ///< of the SPMD part; before it, the processes that were started
  SpmdFunction function_ = nullptr;
  bool function_is_new_ = false;  ///< only rank 0 knows it
  OwnJob job_;
  std::unique_ptr<SpmdParts> parts_;
  std::optional<NextPart> next_;  ///< what rank 0 wants, until this rank begins it
  std::unique_ptr<PartExchange> part_;
  std::unique_ptr<World> world_;  ///< of the SPMD part, or the last one
  Seconds ran_{0};                ///< how long that one ran
  bool leave_is_watched_ = false;
  std::unique_ptr<Spmd> spmd_;
  static inline Spmd* running_ = nullptr;  ///< is spmd_
};

}  // namespace lbsp::bsplib
