#pragma once

#include <optional>

#include "transport/peers/peer.hpp"
#include "transport/peers/timers.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// How lost segments are found and sent again. There are two: the receiver-driven recovery
/// (receiver_driven.hpp) and the paper's rounds (paper_rounds.hpp). The other parts of an endpoint tell it what
/// happens; it puts what it wants to be sent into the queues. What the two differ in by rule alone is in
/// recovery_rules.hpp.
class LossRecovery {
 public:
  LossRecovery() = default;
  LossRecovery(const LossRecovery&) = delete;
  LossRecovery& operator=(const LossRecovery&) = delete;
  virtual ~LossRecovery() = default;

  /// A leg's messages are queued.
  virtual void leg_begun(Instant now) = 0;
  /// Data for this peer went out, or must wait until less is in flight: its answer is awaited.
  virtual void answer_awaited(Peer& from, Instant now) = 0;
  /// The first round trip to this peer is known.
  virtual void path_measured(const Peer& to, Instant now) = 0;

  /// A segment has been put in its place, or had arrived before.
  virtual void segment_arrived(Peer& from, const SegmentHeader& header, Instant now) = 0;
  /// A datagram has been handled that was data, or came behind a gap in the packet numbers.
  virtual void datagram_arrived(Peer& from, bool gap, Instant now) = 0;
  /// Takes a report, whose entries are still to be read; false if they make no sense.
  virtual bool report_arrived(Peer& from, const StatusHeader& header, WireReader& entries, Instant now) = 0;
  /// Takes the acknowledgement of a segment; false if it makes no sense.
  virtual bool acknowledgement_arrived(Peer& from, const SegmentAck& ack, Instant now) = 0;
  /// A whole report has been written.
  virtual void report_written(Peer& to, Instant now) = 0;

  /// Whether this rank can tell a peer that its leg gets on.
  virtual bool moving(const Peer& other) const = 0;
  /// Whether a peer that says this will send the message that is awaited from it.
  virtual bool will_come(const StatusHeader& status) const = 0;

  /// Timer::probe, Timer::acknowledgement or Timer::round has struck. Returns why the job cannot go on, if it
  /// cannot.
  virtual std::optional<AbortNotice> struck(Rank rank, Timer timer, Instant now) = 0;
};

}  // namespace lbsp::transport
