#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/arrival.hpp"
#include "transport/core/address_checks.hpp"
#include "transport/core/assembly.hpp"
#include "transport/core/control.hpp"
#include "transport/core/granting.hpp"
#include "transport/ending/farewell.hpp"
#include "transport/ending/liveness.hpp"
#include "transport/heard_from.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/sending/in_flight.hpp"
#include "transport/sizes/size_finder.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Takes datagrams as they come from the network: drops what is not authentic, and tells the other rooms what
/// the rest says.
class Receiving {
 public:
  /// The rooms that are told.
  struct Rooms {
    Assembly& assembly;
    InFlight& in_flight;
    Liveness& liveness;
    LossRecovery& recovery;
    Farewell& farewell;
    Control& control;
    SizeFinder& sizes;
    Granting& granting;
    AddressChecks& addresses;
  };

  Receiving(EndpointState& state, const Rooms& rooms)
      : state_(state), rooms_(rooms), job_tag_(state.config.key.tag()) {}

  /// Decrypts the datagram in place. The peer that it is from, if it is authentic and its sender's newest, or a copy
  /// that tells where that peer may be (AddressChecks).
  std::optional<HeardFrom> take(std::span<std::byte> datagram, const Arrival& arrival);

 private:
  bool is_for_this_rank(const ClearHeader& header) const;
  std::optional<HeardFrom> take_copy(Peer& from, std::uint64_t packet, std::span<std::byte> datagram);
  bool take_body(Peer& from, DatagramKind kind, std::span<const std::byte> body, std::size_t datagram_bytes,
                 Instant now);
  bool may_come(MessageId id) const;
  bool take_segment(Peer& from, std::span<const std::byte> body, bool coded, std::size_t datagram_bytes,
                    Instant now);
  bool take_report(Peer& from, WireReader& in, Instant now);
  bool take_acknowledgement(Peer& from, WireReader& in, Instant now);
  bool take_size(Peer& from, WireReader& in, std::size_t datagram_bytes, Instant now);
  bool take_fin(Peer& from, WireReader& in, Instant now);
  bool take_abort(WireReader& in, Instant now);

  EndpointState& state_;
  Rooms rooms_;
  std::uint16_t job_tag_;
};

}  // namespace lbsp::transport
