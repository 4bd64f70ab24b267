#pragma once

#include <optional>
#include <utility>

#include "transport/queues/queue_sample.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The two halves of a round of echoes, each of what was sent in a quarter of a round trip, and what each has met.
class RoundHalves {
 public:
  struct Half {
    Instant begun{};
    Duration queue = Duration::max();  ///< the least that a datagram met …
    Instant at{};                      ///< … which was sent then
    bool several = false;              ///< of datagrams to several peers
    Rank peer = 0;                     ///< of the first echo
    int samples = 0;
  };

  /// From the datagram on that was sent then.
  explicit RoundHalves(Instant begun = {}) : later_{.begun = begun} {}

  /// Returns whether the later half is complete, with this one.
  bool add(const QueueSample& sample, Duration round_trip) {
    if (later_.samples++ == 0) later_.peer = sample.peer;
    later_.several = later_.several || sample.peer != later_.peer;
    if (sample.queue < later_.queue) {
      later_.queue = sample.queue;
      later_.at = sample.sent_at;
    }
    if (later_.samples < least_samples || sample.sent_at - later_.begun < round_trip / 4) return false;
    if (earlier_) return true;
    earlier_ = std::exchange(later_, {.begun = sample.sent_at});
    return false;
  }

  /// None: it goes on.
  const std::optional<Half>& earlier() const { return earlier_; }
  /// The one that goes on.
  const Half& later() const { return later_; }

 private:
  static constexpr int least_samples = 2;

  std::optional<Half> earlier_;
  Half later_;
};

}  // namespace lbsp::transport
