#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lbsp/job/messages.hpp"

namespace lbsp::launch::ranks {

/// A process of the job, as its launcher sees it.
struct JobProcess {
  job::Spawn spawn;
  std::size_t host = 0;  ///< index in the placement
  std::string name;      ///< "rank 3 on node2"
  int reports = 0;       ///< of its ranks' that have come; of a program of bsp.h, of the newest SPMD part
  int accounts = 0;      ///< of its ranks that have said what they have done so far
  bool begun = false;    ///< an SPMD part of a program of bsp.h
  bool failed = false;   ///< it has said that, and why
  bool blas_without_threads = false;  ///< its OpenBLAS could not start any, and ends it by SIGINT then
  bool missed = false;                ///< another has ended because it takes this one for lost
  bool ended = false;
  bool exited = false;      ///< and its host has said so, not only gone itself
  std::string how{};        ///< of a new process that ended before it had a place: what is wrong with it
  bool left_early = false;  ///< ended in order before bsp_begin
  std::optional<Rank> crashed{};  ///< of several that are its threads, the one that it died for
  std::optional<Rank>
      takes{};            ///< a new process: whose place it is to take. Its frames have a number of their own
  bool joins = false;     ///< and that is nobody's: it is to be added to the others
  bool greeted = false;   ///< it has said hello, and may speak to the others since
  bool seated = false;    ///< it has got it
  bool given_up = false;  ///< the others go on without it: it is being ended
  bool dismissed = false;  ///< the one whose place it was to take is still there: it is being ended
  bool replaced = false;   ///< a new process has got its place

  /// What it writes on standard error.
  void hear(std::string_view bytes);

  /// Of the job's start.
  Rank rank() const { return takes.value_or(spawn.first_rank); }
  /// It has no place in the job: not yet, or not any more.
  bool is_outside() const { return replaced || (takes && !seated); }
  /// The job waits for its end.
  bool is_awaited() const { return !ended && !is_outside(); }
  bool has_reported() const { return reports >= spawn.ranks; }
  /// It has left the others in good order. What is reported of an SPMD part of a program of bsp.h is not the end of its
  /// exchange: another may follow.
  bool has_departed() const { return has_reported() && !failed && !is_outside() && (ended || !begun); }
  /// All that it can tell of what it has done has been told.
  bool has_told() const { return ended || reports + accounts >= spawn.ranks; }
  /// Others take it for lost, and it has not spoken since: it will hardly tell anything.
  bool is_lost() const { return missed && !failed; }
};

/// What is wrong with a process that ended so, and what to do; empty if nothing is. `joined`: it had said
/// hello. A process that said itself why it failed has nothing wrong with its exit code, nor with an abort().
std::string describe_end(const JobProcess& process, const job::Exited& end, bool joined);

/// Whether somebody else has ended it, as `kill` and the system do: it has not crashed.
bool was_killed(const job::Exited& end);

}  // namespace lbsp::launch::ranks
