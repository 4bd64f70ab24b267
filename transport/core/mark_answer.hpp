#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/core/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How a QueueBound answers datagrams that routers have marked (ECN), whether or not a queue is seen: each round of
/// them lowers the rate by a part of what came through, less than losses would (RFC 8511). It comes back evenly in the
/// time that TCP's Cubic takes (RFC 9438), and rises as that does from there on. So it has about as much as a TCP that
/// is marked, too; and as who has more gives more and all add about the same, jobs come to similar rates.
class MarkAnswer {
 public:
  enum class Verdict : std::uint8_t {
    none,    ///< nothing is marked that counts
    marked,  ///< there is a queue
    in_vain  ///< the path marks whatever comes: there is no sense in a bound
  };

  /// What Cubic counts by.
  struct Path {
    Duration round_trip;  ///< the least
    std::size_t datagram_bytes;
  };

  /// `rate`: the bound; `through`: the most that came through of late; bytes per second. `tolerated`: a shorter queue
  /// cannot be seen.
  Verdict judge(const QueueSeen& seen, std::optional<BytesPerSecond> rate, double through, double tolerated);
  /// Marks have told of the queue since the bound is.
  bool of_bound() const { return of_bound_; }

  /// What is to come through after a round with marks, of which so much did.
  double fallen(double carried);
  /// The rate after a round without, or nothing if no marks have told of the queue; `base`: what it was.
  std::optional<double> risen(double base, const Path& path, Instant now);
  /// With what a burst begins after a pause, before which so much came through, or if marks have told of the queue, was
  /// the rate.
  double after_pause(double before, const Path& path, Instant now);

 private:
  bool of_bound_ = false;
  bool of_burst_ = false;          ///< something has been marked since the last pause
  int marked_rounds_ = 0;          ///< in a row, in which no queue was seen
  double highest_ = 0;             ///< what came through when marks came last, bytes per second
  std::optional<Instant> rising_;  ///< since then
  Duration doubt_{0};              ///< marks do not count for so long …
  Instant doubted_at_;             ///< … since they stayed however little was sent then
};

}  // namespace lbsp::transport
