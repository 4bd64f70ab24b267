#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/ending/farewell.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/recovery/repairs.hpp"

namespace lbsp::transport {

/// The recovery that lbsp uses: a receiver reports what is missing, and the sender repairs it at once. A sender
/// that hears nothing probes. Data of a later leg acknowledges everything before it. A leg ends when all that
/// it awaits has arrived. recovery_times.hpp says how long each waits.
class ReceiverDriven final : public LossRecovery {
 public:
  ReceiverDriven(EndpointState& state, Farewell& farewell)
      : state_(state), farewell_(farewell), repairs_(state) {}

  void leg_begun(Instant) override {}
  void answer_awaited(Peer& from, Instant now) override;
  void path_measured(const Peer& to, Instant now) override;

  void segment_arrived(Peer& from, const SegmentHeader& header, Instant now) override;
  void datagram_arrived(Peer& from, bool gap, Instant now) override;
  bool report_arrived(Peer& from, const StatusHeader& header, WireReader& entries, Instant now) override;
  bool acknowledgement_arrived(Peer&, const SegmentAck&, Instant) override { return false; }
  void report_written(Peer& to, Instant now) override;

  bool moving(const Peer& other) const override { return state_.last_moved >= other.report.last; }
  bool will_come(const StatusHeader& status) const override { return status.moving; }

  std::optional<AbortNotice> struck(Rank rank, Timer timer, Instant now) override;

 private:
  void begun_by(Peer& from, MessageId id, Instant now);
  bool read_entries(Peer& from, const StatusHeader& header, WireReader& entries, Instant now);
  /// What a report has found lost.
  void repair(Peer& to, OutgoingMessage& message, const LossDetection& detection, SegmentRange told,
              Instant now);
  static bool awaits_answer(const Peer& from);
  void probe(Peer& to, Instant now);

  EndpointState& state_;
  Farewell& farewell_;
  Repairs repairs_;
  std::vector<std::uint32_t> lost_;  ///< scratch: segments one report found lost …
  std::vector<MessageId> told_;      ///< … and the messages that it tells of
};

}  // namespace lbsp::transport
