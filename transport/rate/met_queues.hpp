#pragma once

#include <array>
#include <cstdint>

#include "transport/queues/arrival_gauge.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The queues that the datagrams of a rank's peers met in a round, each beyond the least that any of its own has met.
class MetQueues {
 public:
  void begin_round();
  /// That all paths have in common.
  struct Link {
    double bytes_so_far = 0;  ///< that have come by it
    double carried = 0;       ///< bytes per second, of late; 0: nobody knows
  };
  /// A datagram came by this path.
  void meet(std::uint32_t path, const ArrivalGauge::Seen& seen, const Link& link);

  /// The least of this round. A peer whose first datagrams came while the queue was full, as nearly all do where many
  /// begin to send in one round trip, takes that for none: it does not count beside those who have met a longer one.
  Duration least() const;
  /// By which the queues of one path were longer than they seemed, as this round has shown: at the most.
  Duration mistaken() const;
  /// By how much more delays have become longer from one datagram to the next, in this round, than a queue does that
  /// all that came in between had to leave: at the most, on one path, and on those together that have met half of the
  /// longest. Where many send, each seldom does, and a queue may do much in between.
  Duration varied() const { return varied_; }

 private:
  struct Newest {
    Duration queue = Duration::max();
    double bytes_by_then = 0;  ///< that had come by the link
  };
  struct Path {
    std::uint32_t path = 0;
    Duration longest{0};               ///< since it is here
    Duration least = Duration::max();  ///< in this round
    Duration mistaken{0};              ///< likewise
    Newest newest = {};
  };

  void note_varied(Newest& newest, Duration queue, const Link& link);

  Duration varied_{0};
  Duration longest_{0};
  Newest newest_;                  ///< on all paths that have met half of that
  std::array<Path, 256> paths_{};  ///< of those that share a place, who has met most
};

}  // namespace lbsp::transport
