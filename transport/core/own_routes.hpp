#pragma once

#include <cstddef>
#include <vector>

#include "transport/core/control.hpp"
#include "transport/ending/liveness.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/sizes/size_finder.hpp"

namespace lbsp::transport {

/// What a rank's own host says of its routes to the peers: how long datagrams may be, and that it refuses to send. For
/// whoever drives the endpoint.
class OwnRoutes {
 public:
  /// Those that heed it.
  struct Rooms {
    SizeFinder& sizes;
    LossRecovery& recovery;
    Liveness& liveness;
    const Control& control;
  };

  OwnRoutes(EndpointState& state, const Rooms& rooms) : state_(state), rooms_(rooms) {}

  /// The system's route to this peer takes datagrams of `bytes` at most. To be called before the first exchange.
  void limit(Rank to, std::size_t bytes) { state_.peers[to].path.sizes.limit(bytes); }
  /// Datagrams to this peer may not be longer than `bytes` at present: the system has refused one, or says so about
  /// the route. Messages that wait in longer datagrams are cut anew.
  void lower(Rank to, std::size_t bytes, Instant now);
  /// How long datagrams to this peer may be.
  std::size_t datagram_bytes(Rank to) const { return state_.peers[to].path.sizes.in_use(); }
  /// Ranks to which long datagrams have begun to be lost, so that the system may know a limit of the route.
  std::vector<Rank> take_doubtful() { return rooms_.sizes.take_doubtful(); }
  /// The host itself refuses to send to this peer, with the system's error; or it does no more (0).
  void note_refusal(Rank to, int error, Instant now);

 private:
  EndpointState& state_;
  Rooms rooms_;
};

}  // namespace lbsp::transport
