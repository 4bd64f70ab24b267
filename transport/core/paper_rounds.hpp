#pragma once

#include "transport/core/endpoint_state.hpp"
#include "transport/core/loss_recovery.hpp"
#include "transport/core/round_clock.hpp"

namespace lbsp::transport {

/// The paper's two recovery schemes. Every segment is acknowledged, and what is not acknowledged when a round
/// of 2τ ends is sent again in the next (Recovery::rounds), or everything is (Recovery::whole_round). A leg
/// ends with a round.
class PaperRounds final : public LossRecovery {
 public:
  explicit PaperRounds(EndpointState& state)
      : state_(state), acknowledgement_copies_(state.config.options.copies) {}

  void leg_begun(Instant now) override;
  void message_arrived() override {}
  /// It must be acknowledged, round by round, until its sender has heard it.
  bool keeps_taken_messages() const override { return true; }

  bool codes() const override { return false; }
  /// An acknowledgement does not tell of which cut it is.
  bool cuts_anew() const override { return false; }
  bool bounds_flight() const override { return false; }
  std::uint16_t round() const override { return clock_.number(); }
  bool sends_again() const override { return !clock_.first(); }
  Duration copy_spacing(const Peer&) const override { return Duration{0}; }
  void data_sent(Rank, MessageId, Instant) override {}
  void held_back(Rank, Instant) override {}
  /// What does not pass ends the job after the silent-peer limit; later messages fit.
  void datagrams_limited(Rank, Instant) override {}

  void begun_by(Rank, MessageId, Instant) override {}
  void segment_arrived(Rank from, const SegmentHeader& header, IncomingMessage* message,
                       Instant now) override;
  void datagram_arrived(Rank, bool, Instant) override {}
  bool report_arrived(Rank, const StatusHeader&, WireReader&, Instant) override { return true; }
  bool acknowledgement_arrived(Rank from, const SegmentAck& ack, Instant now) override;
  void report_written(Rank, Instant) override {}

  /// A round may be longer than any patience; it is the sender who gives up (acknowledgement_due). A sender to
  /// whom all is acknowledged has nothing more to come with.
  bool moving(const Peer& other) const override;
  bool will_come(const StatusHeader& status) const override;
  Instant acknowledgement_due(const Peer& other) const override;
  std::string why_unacknowledged(const Peer& other, const OutgoingMessage& message) const override;

  void probe(Rank, Instant) override {}
  Instant next_timeout() const override { return clock_.deadline(); }
  void handle_timeout(Instant now) override;

 private:
  void start_clock(Instant now);
  void send_again(bool everything);
  bool all_acknowledged() const;
  void complete_leg();

  EndpointState& state_;
  RoundClock clock_;
  int acknowledgement_copies_;  ///< k: as in the last leg in which this rank sent
};

}  // namespace lbsp::transport
