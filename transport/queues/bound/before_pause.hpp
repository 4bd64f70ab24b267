#pragma once

#include <optional>
#include <utility>

#include "transport/units.hpp"

namespace lbsp::transport {

/// What came through a queue before a pause, as between supersteps, when what stood there has left it: a mean over the
/// last burst. A bound begins with that after the pause.
class BeforePause {
 public:
  /// So much came through in a round in which a queue stood; bytes per second.
  void note(double carried) {
    if (!carried_ || std::exchange(burst_begun_, false)) {
      carried_ = carried;
    } else {
      *carried_ += weight_of_round * (carried - *carried_);
    }
  }
  /// There is no bound any more.
  void forget() { carried_.reset(); }

  /// A datagram goes out. How long none had; before the first, for ever.
  Duration sent(Instant now) {
    ++datagrams_;
    return now - std::exchange(last_sent_, now);
  }
  /// The pause has ended. Whether the burst before it had so many datagrams that it shows whether there is more room.
  bool end() {
    burst_begun_ = true;
    return std::exchange(datagrams_, 0) >= datagrams_of_burst;
  }

  std::optional<double> carried() const { return carried_; }
  /// What the next pause is to find.
  void expect(double carried) { carried_ = carried; }

 private:
  static constexpr double weight_of_round = 0.3;
  static constexpr int datagrams_of_burst = 16;

  std::optional<double> carried_;
  bool burst_begun_ = true;  ///< nothing of this burst is in carried_
  int datagrams_ = 0;        ///< sent since the pause
  Instant last_sent_{};
};

}  // namespace lbsp::transport
