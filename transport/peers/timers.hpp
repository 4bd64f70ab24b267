#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "transport/units.hpp"

namespace lbsp::transport {

/// What time alone brings about between this rank and one peer, in the order in which it is looked after.
enum class Timer : std::uint8_t {
  silence,   ///< nothing authentic came from the peer for the silent-peer limit, or this host has refused to
             ///< send to it for nearly as long: it is given up
  progress,  ///< its awaited message did not get on for as long: it is given up
  acknowledgement,  ///< the paper's rounds: it acknowledged nothing for as long: it is given up
  farewell,         ///< FIN is said again, or a peer that does not answer is taken to have left
  probe,            ///< nothing was heard for the probe timeout: something is sent once more
  report,           ///< the peer is told what is missing
  acknowledge,      ///< it is told that all has arrived, because no data has said so meanwhile
  size,             ///< the answers of a trial (PathSizes) have had their time
  keepalive,        ///< nothing small was sent to it for the keepalive interval: it gets a report
  round,            ///< the paper's rounds: the round is over, for all peers together
};

/// Those that each peer has.
inline constexpr Timer all_timers[] = {Timer::silence,     Timer::progress, Timer::acknowledgement,
                                       Timer::farewell,    Timer::probe,    Timer::report,
                                       Timer::acknowledge, Timer::size,     Timer::keepalive};

class TimerSet {
 public:
  constexpr TimerSet(std::initializer_list<Timer> timers) {
    for (const Timer timer : timers)
      bits_ |= bit(timer);
  }
  constexpr bool has(Timer timer) const { return (bits_ & bit(timer)) != 0; }

 private:
  static constexpr unsigned bit(Timer timer) { return 1u << static_cast<unsigned>(timer); }

  unsigned bits_ = 0;
};

/// When each timer of one peer strikes; `never` if it is not set.
class TimerTable {
 public:
  TimerTable() { at_.fill(never); }

  Instant at(Timer timer) const { return at_[static_cast<std::size_t>(timer)]; }
  void set(Timer timer, Instant at) { at_[static_cast<std::size_t>(timer)] = at; }
  void bring_forward(Timer timer, Instant to) { set(timer, std::min(at(timer), to)); }
  void clear(Timer timer) { set(timer, never); }

  /// When the first of those that are not `idle` strikes.
  Instant first(TimerSet idle) const {
    Instant first = never;
    for (const Timer timer : all_timers) {
      if (!idle.has(timer)) first = std::min(first, at(timer));
    }
    return first;
  }

 private:
  std::array<Instant, std::size(all_timers)> at_;
};

}  // namespace lbsp::transport
