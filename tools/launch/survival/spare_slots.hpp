#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "tools/launch/places/placement.hpp"

namespace lbsp::launch::survival {

/// Which host gets the new process in a lost rank's place (--on-failure respawn).
class SpareSlots {
 public:
  explicit SpareSlots(const places::Placement& placement);

  /// Why a rank is lost.
  enum class Loss {
    process,  ///< it has ended, and its host is there: its slot is free again
    silence,  ///< perhaps its host is cut off or frozen: another one is better
    host,     ///< its host is gone
  };
  /// Takes a slot. None: there is none, or none of the last processes in that place ever got so far as to take it.
  std::optional<std::size_t> take(Rank rank, std::size_t host, Loss loss);
  /// A process has taken that place.
  void seated(Rank rank) { attempts_.erase(rank); }
  /// One that was started for it is not needed.
  void give_back(std::size_t host) { ++spares_[host]; }
  /// A host more, without any.
  void add_host() { spares_.push_back(0); }
  /// The host is gone.
  void lose(std::size_t host) { spares_[host] = 0; }

 private:
  std::vector<int> spares_;       ///< by host
  std::map<Rank, int> attempts_;  ///< since a process took that place
};

}  // namespace lbsp::launch::survival
