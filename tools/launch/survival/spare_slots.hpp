#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "tools/launch/places/placement.hpp"

namespace lbsp::launch::survival {

/// Which host gets the new process in a lost rank's place (--on-failure respawn).
class SpareSlots {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `soon`: who is silent again within that time has not been heard well since it came.
  SpareSlots(const places::Placement& placement, std::chrono::steady_clock::duration soon);

  /// Why a rank is lost.
  enum class Loss {
    process,  ///< it has ended, and its host is there: its slot is free again
    silence,  ///< perhaps its host is cut off or frozen: another one is better
    host,     ///< its host is gone
  };
  /// Takes a slot. None: there is none, or none of the last processes in that place ever got so far as to take it. Nor
  /// is one on the host where the rank is silent, if it was begun anew there three times, and was silent again soon
  /// each time: as where two hosts do not reach each other. From the first time a slot elsewhere is kept for it.
  std::optional<std::size_t> take(Rank rank, std::size_t host, Loss loss, Time now);
  /// A process has taken that place.
  void seated(Rank rank, Time now);
  /// One that was started for it is not needed.
  void give_back(std::size_t host) { ++spares_[host]; }
  /// A host more, without any.
  void add_host() { spares_.push_back(0); }
  /// The host is gone.
  void lose(std::size_t host) { spares_[host] = 0; }

 private:
  struct Place {
    int attempts = 0;              ///< since a process took it
    int silent_again = 0;          ///< so often, each time soon, where it was begun anew
    bool where_silent = false;     ///< the newest process was begun where the rank was silent …
    std::optional<Time> seated{};  ///< … and took the place
  };

  void note_loss(Place& place, Loss loss, Time now);
  static bool is_given_up(const Place& place);
  bool failed_soon(const Place& place, Time now) const;
  std::optional<std::size_t> take_elsewhere(std::size_t host, int kept);

  std::chrono::steady_clock::duration soon_;
  std::vector<int> spares_;  ///< by host
  std::map<Rank, Place> places_;
};

}  // namespace lbsp::launch::survival
