#pragma once

#include <cstddef>
#include <optional>

#include "transport/rate/rate_control.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds the rate of what goes to one peer where a queue of a quarter of a second shows that much less arrives than is
/// sent: on links so slow that a short message fills them for seconds, while 256 datagrams, of which RateFinder makes
/// its epochs, would take minutes.
///
/// What such a link carries is what arrived while the queue stood, over the time in which it was sent or arrived,
/// whichever is longer. A little more than that goes, so that a link which becomes faster is found to be; half of it
/// while the queue is long. On a long path, what comes in half a round trip tells how much more: the queue it makes is
/// seen no sooner, and where delays vary, datagrams that have waited for a late one arrive with it at once.
class DeliveryBound {
 public:
  struct Path {
    BytesPerSecond fair;  ///< an equal part of the rank's rate
    std::size_t datagram_bytes;
    Duration round_trip{0};  ///< the least
  };

  /// Takes what an echo says, and the queue that the newest datagram met. Whether the bound may have changed.
  bool echoed(const TrainMark& mark, Duration queue, const Path& path);

  bool bounds() const { return carried_ > 0; }
  /// nullopt: there is no bound.
  std::optional<BytesPerSecond> rate() const { return carried_ > 0 ? std::optional(bound()) : std::nullopt; }

 private:
  BytesPerSecond bound() const;
  void begin(const TrainMark& mark, Duration queue, const Path& path);
  double span(const TrainMark& mark) const;
  double arrived_bytes(const TrainMark& mark) const;
  bool is_piece(const TrainMark& mark, bool busy, Duration round_trip) const;
  void measure(const TrainMark& mark);

  std::optional<TrainMark> last_;  ///< where the piece begins that is measured
  bool busy_ = false;              ///< a long queue has stood since
  bool drains_ = false;
  double carried_ = 0;   ///< bytes per second; 0: there is no bound
  double datagram_ = 0;  ///< bytes
  int empty_pieces_ = 0;
  Instant last_sent_{};
};

}  // namespace lbsp::transport
