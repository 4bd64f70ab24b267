#pragma once

#include <cstddef>
#include <span>

#include "transport/core/granting.hpp"
#include "transport/ending/liveness.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Writes reports: to each peer to which one is due, what has arrived of its messages.
class Reporting {
 public:
  Reporting(EndpointState& state, DatagramWriter& writer, const Liveness& liveness, LossRecovery& recovery,
            Granting& granting)
      : state_(state), writer_(writer), liveness_(liveness), recovery_(recovery), granting_(granting) {}

  /// The next report that may go, or the next part of one that does not fit a datagram; none if there is none.
  const Transmit* next(std::span<std::byte> buffer, Instant now);

 private:
  const Transmit& write_report(Peer& to, std::span<std::byte> buffer, Instant now);
  ReportCursor write_entries(const Peer& to, ReportCursor from, WireWriter& out) const;

  EndpointState& state_;
  DatagramWriter& writer_;
  const Liveness& liveness_;
  LossRecovery& recovery_;
  Granting& granting_;
};

}  // namespace lbsp::transport
