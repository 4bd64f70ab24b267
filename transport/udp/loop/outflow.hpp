#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/impairment/delay_line.hpp"
#include "transport/impairment/link.hpp"
#include "transport/udp/batches/send_batch.hpp"
#include "transport/udp/loop/correspondent.hpp"
#include "transport/udp/sockets/port.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a correspondent sends, on its way to the socket: through a link that impairs it, if there is one, and in
/// batches. It waits for nothing.
class Outflow {
 public:
  /// The port must outlive this. `datagram_bytes`: the longest. `ecn`: as SendBatch's.
  Outflow(const UdpPort& port, Correspondent& correspondent, std::size_t datagram_bytes, bool ecn,
          std::optional<ImpairedLink> link);
  Outflow(const Outflow&) = delete;
  Outflow& operator=(const Outflow&) = delete;

  enum class Left {
    nothing,  ///< to be sent now
    more,     ///< perhaps
    no_room,  ///< the socket takes no more until flush() has succeeded
  };
  /// Sends a batch of what the correspondent has to send now, and tells it what the system refuses. Throws SystemError
  /// if the socket is unusable.
  Left send(Instant now);
  /// Once there is room to write: sends the rest of the batch. False: there was not enough.
  bool flush() { return batch_.flush(); }

  /// When the link lets go of the next datagram.
  Instant next() const { return line_.next(); }
  /// Nothing waits for the socket or is on its way through the link.
  bool idle() const { return line_.empty() && batch_.empty(); }
  /// Datagrams that the system did not take.
  std::uint64_t refused() const { return batch_.refused(); }
  ImpairmentCounters impairment() const { return link_ ? link_->counters() : ImpairmentCounters{}; }

 private:
  bool fill(Instant now);
  void set_fragments();
  void send_or_hold(DatagramPool::Slot slot, const Correspondent::Outgoing& outgoing, Instant now);
  void take_due(Instant now);
  bool report_refusals(Instant now);

  const UdpPort& port_;
  Correspondent& correspondent_;
  DatagramPool pool_;
  SendBatch batch_;
  DelayLine line_{pool_};
  std::optional<ImpairedLink> link_;
  bool whole_ = true;  ///< the socket sends no fragments
};

}  // namespace lbsp::transport
