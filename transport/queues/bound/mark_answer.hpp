#pragma once

#include <optional>

#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How a QueueBound answers datagrams that routers have marked (ECN), whether or not a queue is seen: each round of
/// them lowers the rate by a part of what came through (RFC 8511). Rounds without bring it back to a little less, where
/// it stays for a while, so that who has given way, too, finds room.
class MarkAnswer {
 public:
  enum class Verdict : std::uint8_t {
    none,    ///< nothing is marked that counts
    marked,  ///< there is a queue
    in_vain  ///< the path marks whatever comes: there is no sense in a bound
  };

  /// `rate`: the bound; `through`: the most that came through of late; bytes per second. `tolerated`: a shorter queue
  /// cannot be seen.
  Verdict judge(const QueueSeen& seen, std::optional<BytesPerSecond> rate, double through, double tolerated);
  /// Marks have told of the queue since the bound is.
  bool of_bound() const { return of_bound_; }

  /// What is to come through after a round with marks, of which so much did.
  double fallen(double carried);
  /// The rate after a round without, or nothing if it may rise as if nothing had been marked; `base`: what it was.
  std::optional<double> held(double base);
  /// With what a burst begins after a pause, before which so much came through.
  double after_pause(double carried);

 private:
  bool of_bound_ = false;
  bool of_burst_ = false;  ///< something has been marked since the last pause
  int quiet_rounds_ = 0;   ///< since marks came
  double before_ = 0;      ///< what came through when marks came last, bytes per second
  Duration doubt_{0};      ///< marks do not count for so long …
  Instant doubted_at_;     ///< … since they stayed however little was sent then
};

}  // namespace lbsp::transport
