#pragma once

#include <optional>
#include <string>

#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"

namespace lbsp::transport {

/// The paper's two recovery schemes. Every segment is acknowledged, and what is not acknowledged when a round
/// of 2τ ends is sent again in the next (Recovery::rounds), or everything is (Recovery::whole_round). A leg
/// ends with a round.
class PaperRounds final : public LossRecovery {
 public:
  explicit PaperRounds(EndpointState& state)
      : state_(state), acknowledgement_copies_(state.config.options.copies) {}

  void leg_begun(Instant now) override;
  void answer_awaited(Peer&, Instant) override {}
  void path_measured(const Peer&, Instant) override {}

  void segment_arrived(Peer& from, const SegmentHeader& header, Instant now) override;
  void datagram_arrived(Peer&, bool, Instant) override {}
  bool report_arrived(Peer&, const StatusHeader&, WireReader&, Instant) override { return true; }
  bool acknowledgement_arrived(Peer& from, const SegmentAck& ack, Instant now) override;
  void report_written(Peer&, Instant) override {}

  /// A round may be longer than any patience; it is the sender who gives up (acknowledgement_due). A sender to
  /// whom all is acknowledged has nothing more to come with.
  bool moving(const Peer& other) const override;
  bool will_come(const StatusHeader& status) const override;

  std::optional<AbortNotice> struck(Rank rank, Timer timer, Instant now) override;

 private:
  void start_clock(Instant now);
  void end_round(Instant now);
  void send_again(bool everything, Instant now);
  void log_unacknowledged(Rank to, const OutgoingMessage& message, Instant now) const;
  bool all_acknowledged() const;
  void complete_leg();
  Instant acknowledgement_due(const Peer& other) const;
  AbortNotice does_not_acknowledge(const Peer& other, Instant now) const;
  std::string why_unacknowledged(const Peer& other, const OutgoingMessage& message) const;

  EndpointState& state_;
  int acknowledgement_copies_;  ///< k: as in the last leg in which this rank sent
};

}  // namespace lbsp::transport
