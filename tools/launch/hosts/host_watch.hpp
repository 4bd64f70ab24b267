#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::launch::hosts {

/// How often an agent says that it is there, whatever its ranks do.
inline constexpr transport::Duration alive_interval = std::chrono::seconds{2};

/// Which hosts with an agent have not been heard, and for how long all ranks have been stopped. While ranks elsewhere
/// still run, these notice a host that is frozen or cut off by themselves; when only such hosts are waited for, this is
/// all that notices it, and when all ranks are stopped, none of them can. Time is counted in ticks of a second, so that
/// time in which this process itself was stopped does not count.
class HostWatch {
 public:
  static constexpr transport::Duration tick_interval = std::chrono::seconds{1};

  HostWatch(std::size_t hosts, transport::Duration peer_timeout);

  /// A host more.
  void add() { silent_ticks_.push_back(0); }
  void heard(std::size_t host) { silent_ticks_[host] = 0; }
  /// What the ranks do that have not ended.
  enum class Ranks : std::uint8_t {
    run,           ///< one of them, at least
    stopped,       ///< all of them, and they are all ranks
    left_stopped,  ///< all of them, and others have ended
  };
  void tick(Ranks ranks);

  /// Whether it has been silent for so long that it will hardly come back: twice the silent-peer limit, as a
  /// connection that was interrupted for that limit takes as long again to go on.
  bool lost(std::size_t host) const { return silent_ticks_[host] > most_ticks_; }
  transport::Duration limit() const { return most_ticks_ * tick_interval; }

  /// Whether they have been stopped for so long that nobody seems to be about to continue them: a minute, or the limit
  /// for a host if that is more. If others have ended, it is that limit: they have not waited longer.
  bool stopped_for_good() const { return stopped_ticks_ > most_stopped_ticks(); }
  transport::Duration longest_stop() const { return most_stopped_ticks() * tick_interval; }

 private:
  int most_stopped_ticks() const;

  std::vector<int> silent_ticks_;
  int most_ticks_;
  Ranks ranks_ = Ranks::run;
  int stopped_ticks_ = 0;
};

}  // namespace lbsp::launch::hosts
