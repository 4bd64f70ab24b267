#pragma once

#include <cstdint>
#include <string>

#include "transport/core/peer.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// How lost segments are found and sent again, and when a leg is over: everything in which the
/// receiver-driven recovery (receiver_driven.hpp) and the paper's rounds (paper_rounds.hpp) differ. An
/// endpoint asks it, and tells it what happens.
class LossRecovery {
 public:
  LossRecovery() = default;
  LossRecovery(const LossRecovery&) = delete;
  LossRecovery& operator=(const LossRecovery&) = delete;
  virtual ~LossRecovery() = default;

  // Legs.

  /// A leg's messages are queued. Completes the leg if there is nothing to wait for.
  virtual void leg_begun(Instant now) = 0;
  /// A message that the leg awaits is complete.
  virtual void message_arrived() = 0;
  /// Whether a message that the rank has taken is still needed.
  virtual bool keeps_taken_messages() const = 0;

  // Sending.

  /// Whether lost segments may be made up for by coded ones.
  virtual bool codes() const = 0;
  /// Whether a message may begin again in shorter segments.
  virtual bool cuts_anew() const = 0;
  /// Whether a sender keeps to what the path and the receiver hold.
  virtual bool bounds_flight() const = 0;
  /// The number of the round that segments are sent in; 0: none.
  virtual std::uint16_t round() const = 0;
  /// Whether what is sent as planned has been sent before.
  virtual bool sends_again() const = 0;
  /// The distance in time between two passes over a message.
  virtual Duration copy_spacing(const Peer& other) const = 0;
  /// A segment of this message is going out.
  virtual void data_sent(Rank to, MessageId id, Instant now) = 0;
  /// Something had to wait until less is in flight.
  virtual void held_back(Rank to, Instant now) = 0;
  /// Datagrams to this peer may not be as long as they were.
  virtual void datagrams_limited(Rank to, Instant now) = 0;

  // Receiving.

  /// A peer has begun to send this message.
  virtual void begun_by(Rank from, MessageId id, Instant now) = 0;
  /// A segment has been put in its place. `message`: none if it was taken long ago.
  virtual void segment_arrived(Rank from, const SegmentHeader& header, IncomingMessage* message,
                               Instant now) = 0;
  /// A datagram has been handled that was data, or behind a gap in the packet numbers.
  virtual void datagram_arrived(Rank from, bool gap, Instant now) = 0;
  /// Takes a report, whose entries are to be read; false if they make no sense.
  virtual bool report_arrived(Rank from, const StatusHeader& header, WireReader& entries, Instant now) = 0;
  /// Takes the acknowledgement of a segment; false if it makes no sense.
  virtual bool acknowledgement_arrived(Rank from, const SegmentAck& ack, Instant now) = 0;
  /// A whole report has been written.
  virtual void report_written(Rank to, Instant now) = 0;

  // Liveness.

  /// Whether this rank can tell a peer that its leg gets on.
  virtual bool moving(const Peer& other) const = 0;
  /// Whether a peer that says this will send the message that is awaited from it.
  virtual bool will_come(const StatusHeader& status) const = 0;
  /// When the peer must have acknowledged something; `never` if nothing is waited for.
  virtual Instant acknowledgement_due(const Peer& other) const = 0;
  /// Why a message that the peer answers is not acknowledged; only if something was due.
  virtual std::string why_unacknowledged(const Peer& other, const OutgoingMessage& message) const = 0;

  // Time.

  /// Timer::probe has struck.
  virtual void probe(Rank rank, Instant now) = 0;
  /// When handle_timeout() must be called, for what concerns no single peer.
  virtual Instant next_timeout() const = 0;
  virtual void handle_timeout(Instant now) = 0;
};

}  // namespace lbsp::transport
