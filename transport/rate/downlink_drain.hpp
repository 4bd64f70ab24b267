#pragma once

#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// Says when the queue of a downlink that is divided is to be emptied. What is granted keeps some of it standing, and
/// what has stood for as long as the least delay is remembered passes for the path's own, again and again until the
/// queue is full. So now and then less is granted until delays become no shorter.
class DownlinkDrain {
 public:
  struct Round {
    double mistaken;  ///< seconds by which queues have turned out longer than they seemed
    Duration round_trip;
    Duration all_heard;  ///< in which every peer sends something
    double drained;      ///< the part of what the link carries that is granted less
  };

  /// The link is empty, or nothing is granted.
  void begin_anew(Instant now) { *this = DownlinkDrain(now); }
  /// Whether less is to be granted.
  bool judge(const Round& round, Instant now);
  /// The last round has ended it.
  bool ended() const { return ended_; }

  DownlinkDrain() = default;

 private:
  explicit DownlinkDrain(Instant now) : emptied_at_(now) {}

  std::optional<Instant> since_;
  Instant emptied_at_{};
  bool ended_ = false;
};

}  // namespace lbsp::transport
