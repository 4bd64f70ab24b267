#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/core/delayed_queue.hpp"
#include "transport/core/endpoint_config.hpp"
#include "transport/core/endpoint_state.hpp"
#include "transport/core/failure.hpp"
#include "transport/core/farewell.hpp"
#include "transport/core/liveness.hpp"
#include "transport/core/loss_recovery.hpp"
#include "transport/traffic.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// A datagram that poll_transmit() has written.
struct Transmit {
  Rank to = 0;
  std::size_t bytes = 0;
};

/// The superstep protocol of one rank, without I/O: a deterministic state machine that is given datagrams and
/// the time, and is asked for datagrams to send and for its next deadline. It reads no clock, opens no
/// socket, starts no thread and never waits.
///
/// After every call a driver asks poll_transmit() until it gives nothing, and sees to it that
/// handle_timeout() is called when next_timeout() comes. Time must not run backwards.
class Endpoint {
 public:
  /// Throws UsageError if an option is out of its range, or rank and size make no job.
  Endpoint(EndpointConfig config, Instant now);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // The rank's side.

  /// Begins the next superstep's first leg: a message to every other rank, one from each awaited.
  /// Throws MessageTooLarge before anything is sent if a message exceeds the ceiling.
  void begin_exchange(std::vector<Bytes> outgoing, Instant now);
  /// Begins the second leg of the same superstep, between some pairs.
  void begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                   const std::vector<Rank>& sources, Instant now);
  /// Whether the leg begun last is over for this rank.
  bool exchange_complete() const { return !state_.leg.active; }
  /// The messages of the completed leg, by rank.
  std::vector<Bytes> take_messages();

  /// Begins the orderly end. To be called when the last exchange is complete.
  void begin_finish(Instant now);
  /// Whether this rank may leave: no other needs anything of it, or could be told so.
  bool finished() const { return farewell_.done(); }

  /// Ends the job: this endpoint fails, and tells all others.
  void abort(std::string_view reason, Instant now);
  const std::optional<Failure>& failure() const { return failure_; }

  // The network's side.

  /// Takes a datagram as it came, from wherever; decrypts it in place. What is not authentic is counted,
  /// dropped and not answered.
  void handle_datagram(std::span<std::byte> datagram, Instant now);
  /// Writes the next datagram to be sent now; nothing if there is none. `buffer` must have
  /// options.datagram_bytes.
  std::optional<Transmit> poll_transmit(std::span<std::byte> buffer, Instant now);
  /// From now on datagrams to this peer may not be longer than `bytes`: the system has said so about the
  /// route, or has refused a datagram. Messages that wait in longer datagrams are cut anew.
  void limit_datagrams(Rank to, std::size_t bytes, Instant now);
  /// How long datagrams to this peer may be.
  std::size_t datagram_bytes(Rank to) const { return peer(to).datagram_bytes; }
  /// When handle_timeout() must be called, or poll_transmit() be asked again; `never` if no time alone brings
  /// anything about.
  Instant next_timeout() const;
  void handle_timeout(Instant now);
  /// So many datagrams, since the beginning, have found this rank's receive buffer full.
  void note_overflowed(std::uint64_t datagrams) { state_.counters.datagrams_overflowed = datagrams; }

  const TrafficCounters& counters() const { return state_.counters; }
  NetworkMeasure network() const;
  /// What was planned for the superstep begun last, up to the leg begun last.
  const Forecast& forecast() const { return forecast_; }

 private:
  enum class Control : std::uint8_t { fin, abort };
  struct ControlJob {
    Control kind;
    Rank peer;
  };
  Peer& peer(Rank rank) { return state_.peers[rank]; }
  const Peer& peer(Rank rank) const { return state_.peers[rank]; }

  // endpoint.cpp: legs, timeouts, failure
  void check_size(Rank to, const Bytes& message) const;
  void begin_leg(MessageId id, std::vector<Bytes> outgoing, Instant now);
  void plan_leg();
  void share_losses();
  void strike(Rank rank, Timer timer, Instant now);
  void fail(const AbortNotice& notice, Instant now);

  // endpoint_receive.cpp
  bool handle_body(const ClearHeader& header, std::span<const std::byte> body, Instant now);
  bool handle_segment(Rank from, WireReader& in, bool coded, Instant now);
  bool handle_status(Rank from, WireReader& in, Instant now);
  bool handle_ack(Rank from, WireReader& in, Instant now);
  bool handle_fin(Rank from, WireReader& in, Instant now);
  bool handle_abort(WireReader& in, Instant now);
  void take_echo(Rank from, Echo& echo, Instant now);
  void take_room(Rank from, const StatusHeader& status, Instant now);
  IncomingMessage* open_incoming(Rank from, const SegmentHeader& header, Instant now);
  IncomingMessage::Accepted accept(IncomingMessage& message, const SegmentHeader& header,
                                   std::span<const std::byte> payload, bool coded, Rank from, Instant now);
  static void take_size_of(Peer& other, std::size_t segment_bytes);
  static bool is_of_older_cut(Peer& other, IncomingMessage& message, const SegmentHeader& header);
  void fail_for_memory(Rank from, std::uint64_t bytes, Instant now);
  void message_arrived(Rank from, const IncomingMessage& message);
  bool is_past(MessageId id) const { return id < state_.position; }

  // endpoint_send.cpp
  std::optional<Transmit> next_control(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_report(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_ack(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_data(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> write_repair(const RepairJob& job, std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> write_copy(PassJob job, std::span<std::byte> buffer, Instant now);
  void write_held_blocks(const IncomingMessage& message, WireWriter& out) const;
  void hold_back(const PassJob& job, Instant now);
  ReportCursor write_report_entries(const Peer& other, ReportCursor from, WireWriter& out) const;
  Transmit write_report(Rank to, std::span<std::byte> buffer, Instant now);
  Transmit write_segment(Rank to, OutgoingMessage& message, std::uint32_t segment,
                         std::span<std::byte> buffer, Instant now);
  Transmit write_coded(Rank to, OutgoingMessage& message, std::uint32_t block, std::span<std::byte> buffer,
                       Instant now);
  void note_data_sent(Rank to, MessageId id, Instant now);
  std::optional<Transmit> next_coded(const PassJob& job, OutgoingMessage& message,
                                     std::span<std::byte> buffer, Instant now);
  void begin_coded_passes(Rank to, OutgoingMessage& message, std::uint32_t sent);
  Transmit write_fin(Rank to, std::span<std::byte> buffer, Instant now);
  Transmit write_abort(Rank to, std::span<std::byte> buffer, Instant now);
  template <class WriteBody>
  Transmit seal(Rank to, DatagramKind kind, std::span<std::byte> buffer, Instant now, WriteBody write_body);
  Echo echo_to(const Peer& other, Instant now) const;
  bool too_much_in_flight(const Peer& other) const;
  void finish_pass(const PassJob& job, Instant now);

  EndpointState state_;
  std::uint16_t job_tag_;
  DelayedQueue<ControlJob> control_;
  Farewell farewell_;
  std::unique_ptr<LossRecovery> recovery_;
  Liveness liveness_;

  std::uint32_t next_superstep_ = 0;
  Forecast forecast_;
  std::optional<Failure> failure_;
  AbortNotice notice_;
  BytesPerSecond best_arrival_rate_;
};

}  // namespace lbsp::transport
