#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lbsp/checkpoint/folder.hpp"
#include "lbsp/inheritance.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// The states on disk that a job begins with (`--restart`): which of them all ranks can read, and what is this rank's.
class StatesOnDisk {
 public:
  /// The heir of a rank that the job has no more; none: the last rank.
  StatesOnDisk(World& world, const checkpoint::ProgramName& program, const std::string& folder,
               const Inheritance::Heir& heir)
      : world_(world), program_(program), folder_(folder), heir_(heir) {}

  /// Ends one superstep, in which the ranks agree on the newest of which each has all that it is to begin with. None:
  /// no rank has any file. Throws UsageError if there is none that all can begin with, or the job has more ranks.
  std::optional<checkpoint::Place> common_place() const;
  /// What this rank is to begin with: its own state, then those that it inherits; nothing if one of them cannot be
  /// read. Throws UsageError if they are another program's.
  std::vector<checkpoint::Folder::State> at(const checkpoint::Place& place) const;
  /// Throws UsageError.
  [[noreturn]] void throw_none() const;

 private:
  void require_own(const checkpoint::Folder::State& state) const;
  Rank unread_at(const checkpoint::Place& place) const;
  [[noreturn]] void throw_unreadable(const checkpoint::Place& place, Rank rank) const;

  World& world_;
  checkpoint::ProgramName program_;
  checkpoint::Folder folder_;
  const Inheritance::Heir& heir_;
};

}  // namespace lbsp
