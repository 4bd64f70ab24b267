#pragma once

#include <cstddef>
#include <span>

#include "transport/core/address_checks.hpp"
#include "transport/core/control.hpp"
#include "transport/core/reporting.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/sending/sending.hpp"
#include "transport/sizes/size_finder.hpp"

namespace lbsp::transport {

/// Which of all that waits is sent next, and when: FIN, ABORT and questions about addresses at once; then, as the rate
/// allows, questions about long datagrams that cannot wait, reports, data, and the other questions. What goes to ranks
/// of the same host has a rate of its own.
class Outlet {
 public:
  /// Those that have something to send.
  struct Senders {
    Control& control;
    AddressChecks& addresses;
    Reporting& reporting;
    Sending& sending;
    SizeFinder& sizes;
  };

  Outlet(EndpointState& state, const Senders& senders) : state_(state), from_(senders) {}

  /// Writes the next datagram that may go now; none if there is none.
  const Transmit* next(std::span<std::byte> buffer, Instant now);
  /// From then on next() gives something.
  Instant next_release() const;

 private:
  const Transmit* next_to_other_hosts(std::span<std::byte> buffer, Instant now);

  EndpointState& state_;
  Senders from_;
};

}  // namespace lbsp::transport
