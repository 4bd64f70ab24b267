#pragma once

#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// When a rank sends little for a moment, to see its paths without the queue that it may keep full.
///
/// A queue shows as delay beyond the least, and who came when others had filled it has never seen less. If a rank then
/// sends just what the link carries, the queue stays full, nobody else's datagrams find room in it, and nothing tells
/// the rank. What it does see is that no higher rate comes through, although no queue grows. So after that, and in a
/// long superstep at a rate that was told, a queue of its own may run empty: for one and a half round trips it sends a
/// quarter. (BBR does so every ten seconds, LEDBAT++ after its start; a pause between supersteps does it too.)
class QueueDrain {
 public:
  /// A datagram goes out that takes so long to send at the rank's rate. Whether this ends a drain.
  bool sent(Duration sending, Instant now);
  /// The rank has just found that its rate is not carried, or was told its rate, and no queue stands. `round_trip`: the
  /// least. Whether a drain begins: not if the last one, or a pause, was a short time ago.
  bool begin(Duration round_trip, Instant now);
  /// Another reason has lowered the rate.
  void end() { until_.reset(); }

  /// The part of the rate to send at.
  double part() const { return until_ ? part_sent : 1; }
  bool active() const { return until_.has_value(); }

 private:
  static constexpr double part_sent = 0.25;

  std::optional<Instant> until_;
  std::optional<Instant> last_;
  Instant burst_began_{};
  Instant sending_ends_{};  ///< of the burst, as if it went without pauses
};

}  // namespace lbsp::transport
