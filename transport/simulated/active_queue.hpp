#pragma once

#include <cstdint>

#include "transport/impairment/random.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How a router keeps its queue short, by datagrams that it drops, or marks, long before the queue is full.
enum class ActiveQueueRule : std::uint8_t {
  none,
  codel,  ///< RFC 8289: 5 ms within 100 ms; the rule of FQ-CoDel and CAKE for one flow
  pie,    ///< RFC 8033, as in cable modems (RFC 8034)
};

/// The decisions of such a router on one queue, which is first in, first out: so what a datagram will have waited is
/// known as it comes.
class ActiveQueue {
 public:
  explicit ActiveQueue(ActiveQueueRule rule, std::uint64_t seed = 1) : rule_(rule), random_(seed) {}

  /// True: the datagram that comes now and will have waited so long is to be dropped or marked.
  bool signals(Instant now, Duration wait);

 private:
  bool codel_signals(Instant leaves, Duration wait);
  bool stands(Instant leaves, Duration wait);
  Instant after_signal(Instant time) const;

  bool pie_signals(Instant now, Duration wait);
  void update_probability(Duration wait);

  ActiveQueueRule rule_;
  Random random_;

  Instant standing_since_ = never;  ///< plus the interval: the queue stands if it is still long then
  bool signalling_ = false;
  std::uint32_t signals_ = 0;         ///< of this spell, or …
  std::uint32_t signals_before_ = 0;  ///< … when it began
  Instant next_signal_{};

  Instant next_update_{};
  double probability_ = 0;
  Duration last_wait_{};
  Duration allowance_ = std::chrono::milliseconds{150};  ///< for a burst after idle time
};

}  // namespace lbsp::transport
