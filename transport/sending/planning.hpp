#pragma once

#include <array>

#include "transport/paths/loss_doubt.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/traffic.hpp"

namespace lbsp::transport {

/// Asks the planner how to protect the messages of a leg.
class Planning {
 public:
  explicit Planning(EndpointState& state) : state_(state) {}

  /// A leg is going to begin. The one before was over when its last message had come.
  void note_pause(Instant now);
  /// Gives each message of the leg that has begun its plan.
  void plan_leg();
  /// What was planned for the superstep begun last, up to the leg begun last.
  const Forecast& forecast() const { return forecast_; }

 private:
  void doubt_losses();
  void share_losses();
  void protect(Peer& to, MessagePlan plan);

  EndpointState& state_;
  LossDoubt doubt_;
  std::array<Duration, 4> pauses_{};  ///< the last ones
  Forecast forecast_;
};

}  // namespace lbsp::transport
