#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "transport/rate/rate_control.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What became of datagrams to one peer that were sent without a pause.
struct Burst {
  double sent = 0;     ///< bytes to that peer
  double to_all = 0;   ///< bytes
  double arrived = 0;  ///< bytes
  double sending = 0;  ///< seconds from the first to the last
  double arriving = 0;
  double queue = 0;  ///< seconds, that the last one met
  Instant begun{};   ///< when the first one went out

  void add(const Burst& next);
  /// The same of all that the rank sent meanwhile, as if as much of it had arrived.
  Burst of_all() const;
};

/// So many steps are looked at together at most.
inline constexpr std::size_t most_steps = 16;

struct AlikeSteps {
  Burst sum;
  std::size_t count = 0;
};

/// Of these, at most most_steps: those that took as long for each byte that arrived as the median, within this factor.
AlikeSteps alike_steps(std::span<const Burst> steps, double by);

/// Cuts what a rank sends to a peer into bursts.
class BurstMeter {
 public:
  struct Seen {
    Burst step;                  ///< since the mark before
    bool paused = true;          ///< it is not of one burst
    std::optional<Burst> whole;  ///< a burst that has ended, or has become long

    /// See Burst.
    Seen of_all() const {
      return {step.of_all(), paused, whole ? std::optional(whole->of_all()) : std::nullopt};
    }
  };

  /// Takes what an echo says. `rate`: at which the rank sends to all; `own`: and to the peer.
  Seen add(const TrainMark& mark, Duration queue, BytesPerSecond rate, BytesPerSecond own);

 private:
  std::optional<TrainMark> last_;
  Burst burst_;
  int steps_ = 0;
};

}  // namespace lbsp::transport
