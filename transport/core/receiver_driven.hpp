#pragma once

#include <cstdint>
#include <vector>

#include "transport/core/endpoint_state.hpp"
#include "transport/core/farewell.hpp"
#include "transport/core/loss_recovery.hpp"
#include "transport/core/repairs.hpp"

namespace lbsp::transport {

/// The recovery that lbsp uses: a receiver reports what is missing, and the sender repairs it at once. A sender
/// that hears nothing probes. Data of a later leg acknowledges everything before it. A leg ends when all that
/// it awaits has arrived.
class ReceiverDriven final : public LossRecovery {
 public:
  ReceiverDriven(EndpointState& state, Farewell& farewell)
      : state_(state), farewell_(farewell), repairs_(state) {}

  void leg_begun(Instant now) override;
  void message_arrived() override;
  bool keeps_taken_messages() const override { return false; }

  bool codes() const override { return true; }
  bool cuts_anew() const override { return true; }
  bool bounds_flight() const override { return true; }
  std::uint16_t round() const override { return 0; }
  bool sends_again() const override { return false; }
  Duration copy_spacing(const Peer& other) const override { return other.path.copy_spacing(); }
  void data_sent(Rank to, MessageId id, Instant now) override;
  void held_back(Rank to, Instant now) override;
  /// Messages whose segments are too long for the path begin again, in shorter ones.
  void datagrams_limited(Rank to, Instant now) override;

  void begun_by(Rank from, MessageId id, Instant now) override;
  void segment_arrived(Rank from, const SegmentHeader& header, IncomingMessage* message,
                       Instant now) override;
  void datagram_arrived(Rank from, bool gap, Instant now) override;
  bool report_arrived(Rank from, const StatusHeader& header, WireReader& entries, Instant now) override;
  bool acknowledgement_arrived(Rank, const SegmentAck&, Instant) override { return false; }
  void report_written(Rank to, Instant now) override;

  bool moving(const Peer& other) const override { return state_.last_moved >= other.last_report; }
  bool will_come(const StatusHeader& status) const override { return status.moving; }
  Instant acknowledgement_due(const Peer&) const override { return never; }
  std::string why_unacknowledged(const Peer&, const OutgoingMessage&) const override { return {}; }

  void probe(Rank rank, Instant now) override;
  Instant next_timeout() const override { return never; }
  void handle_timeout(Instant) override {}

 private:
  bool read_entries(Rank from, const StatusHeader& header, WireReader& entries, Instant now);
  void update_probe(Rank rank, Instant now);
  Duration probe_timeout(const Peer& other) const;
  Duration report_interval(const Peer& other) const;
  void look_for_narrow_path(Rank from, Instant now);

  EndpointState& state_;
  Farewell& farewell_;
  Repairs repairs_;
  std::vector<std::uint32_t> lost_;  ///< scratch: segments one report found lost
};

}  // namespace lbsp::transport
