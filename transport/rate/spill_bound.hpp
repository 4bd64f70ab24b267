#pragma once

#include <cstddef>
#include <optional>

#include "transport/rate/rate_control.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds the rate of what goes to one peer where most of it is lost round after round, as where bursts spill over a
/// queue of a few datagrams: they have gone before an echo can come, too few of them arrive for their times to say what
/// the link carries, and what is lost is sent again in one burst.
///
/// The bound is the part of the rate that arrived, but no less than twice what arrived in a round trip, which is known
/// to be carried, or than an eighth of the rate, as all may be lost in an outage. It doubles with each round that
/// arrives, and rises by a quarter once a bound was too high, as two rounds in a row tell that lose a fifth more than
/// usual; one may be chance. If a far lower rate loses as much, the loss is the path's
/// own, and there is no bound for a minute.
///
/// At a bound that was too high once, and is carried, messages may take so long that they are no bursts any more. Then
/// whoever looks for a rate is to go on from there.
class SpillBound {
 public:
  struct Path {
    Duration round_trip;  ///< the least
    BytesPerSecond fair;  ///< what goes there without a bound
    std::size_t datagram_bytes;
    double usual_loss;
    bool in_bursts;  ///< what goes has gone before an echo can come; else other bounds are better
  };

  /// Takes what an echo says. Whether the bound has changed.
  bool echoed(const TrainMark& mark, const Path& path);

  /// nullopt: there is no bound.
  std::optional<BytesPerSecond> rate() const {
    return rate_ > 0 ? std::optional(BytesPerSecond{rate_}) : std::nullopt;
  }
  /// The bound, if it has shown about what is carried.
  std::optional<BytesPerSecond> shown() const { return shown_ ? rate() : std::nullopt; }

 private:
  struct Round {
    double loss;
    double arrived;  ///< bytes per second
    double sent;     ///< bytes per second
  };

  bool begin(const Round& round, const Path& path, Instant now);
  bool judge(const Round& round, const Path& path, Instant now);

  std::optional<TrainMark> begun_;
  double rate_ = 0;  ///< bytes per second; 0: there is no bound
  double first_loss_ = 0;
  int lossy_rounds_ = 0;  ///< in a row
  bool was_too_high_ = false;
  bool shown_ = false;
  Instant not_before_{};
};

}  // namespace lbsp::transport
