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
#include "transport/core/deadline_heap.hpp"
#include "transport/core/failure.hpp"
#include "transport/core/farewell.hpp"
#include "transport/core/loss_detection.hpp"
#include "transport/core/peer.hpp"
#include "transport/core/rate_control.hpp"
#include "transport/core/report_queue.hpp"
#include "transport/core/round_clock.hpp"
#include "transport/core/send_queue.hpp"
#include "transport/options.hpp"
#include "transport/redundancy.hpp"
#include "transport/traffic.hpp"
#include "transport/wire/format.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

struct EndpointConfig {
  Rank rank = 0;
  Rank size = 1;
  ExchangeOptions options;
  JobKey key;
  Cipher cipher = Cipher::chacha20_poly1305;
  std::vector<std::string> addresses;               ///< by rank, for error texts; may be empty
  std::shared_ptr<RedundancyPlanner> planner = {};  ///< this endpoint's alone; none: options.copies, always
  /// By rank: what is known of the paths before anything is measured, with the weight of `loss_sample`
  /// datagrams; a round trip of 0 is not known. Empty: default_prior() for all, then what this
  /// rank's other paths have shown.
  std::vector<PathForecast> priors = {};
  /// Datagrams of the largest size that this rank's receive buffer holds.
  std::size_t buffer_datagrams = usual_buffer_datagrams;
};

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
  bool exchange_complete() const { return !leg_.active; }
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
  void note_overflowed(std::uint64_t datagrams) { counters_.datagrams_overflowed = datagrams; }

  const TrafficCounters& counters() const { return counters_; }
  NetworkMeasure network() const;
  /// What was planned for the superstep begun last, up to the leg begun last.
  const Forecast& forecast() const { return forecast_; }

 private:
  /// The leg that this rank is in, or was in last.
  struct CurrentLeg {
    MessageId id;
    bool active = false;
    std::vector<Rank> sources;
    Rank awaited = 0;  ///< sources whose message is not complete
    std::vector<Rank> destinations;
  };

  enum class Control : std::uint8_t { fin, abort };
  struct ControlJob {
    Control kind;
    Rank peer;
  };
  struct AckJob {
    Rank peer;
    MessageId message;
    std::uint16_t round;
    std::uint32_t segment;
  };

  Peer& peer(Rank rank) { return *peers_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(Rank rank) const { return *peers_[static_cast<std::size_t>(rank)]; }
  bool receiver_driven() const { return config_.options.recovery == Recovery::receiver; }
  template <class Action>
  void for_each_peer(Action action);

  // endpoint.cpp: legs, timeouts, failure
  void check_size(Rank to, const Bytes& message) const;
  void begin_leg(MessageId id, std::vector<Bytes> outgoing, Instant now);
  void plan_leg();
  void apply_prior(Rank rank);
  void share_losses();
  void complete_leg();
  void schedule(Rank rank);
  Instant deadline_of(const Peer& other) const;
  Instant keepalive_at(const Peer& other) const;
  void handle_peer_deadline(Rank rank, Instant now);
  void queue_probe(Rank rank, Instant now);
  void update_probe(Rank rank, Instant now);
  Duration probe_timeout(const Peer& other) const;
  void queue_report(Rank rank);
  void fail(const AbortNotice& notice, Instant now);

  // endpoint_progress.cpp: the limits of every wait
  void forgive_own_sleep(Instant now);
  void note_moved(Instant now);
  StatusHeader own_status(const Peer& other, Instant now) const;
  void take_statement(Peer& other, const StatusHeader& status, Instant now);
  Duration limit_of_acknowledgement() const;
  bool awaits_acknowledgement(const Peer& other) const;
  Instant patience_ends(const Peer& other) const;
  std::string what_came(const IncomingMessage* message) const;
  std::string likely_cause(std::size_t expected_datagram, std::size_t largest_passed) const;
  void give_up(Rank rank, Instant now);

  // endpoint_sizes.cpp: how long datagrams may be
  std::size_t segment_bytes_to(const Peer& other) const;
  void cut_anew(Rank to, Instant now);
  void take_size_of(Peer& other, std::size_t segment_bytes);
  void look_for_narrow_path(Rank from, Instant now);

  // endpoint_rounds.cpp: the paper's schemes
  void start_round_clock(Instant now);
  void handle_round_end(Instant now);
  void begin_round(bool everything);
  bool all_acknowledged() const;
  void acknowledge_in_round(Rank from, const SegmentHeader& header, IncomingMessage* message);
  bool handle_ack(Rank from, WireReader& in, Instant now);
  std::string cause_of_no_acknowledgement(const Peer& other, const OutgoingMessage& message) const;

  // endpoint_receive.cpp
  bool handle_body(const ClearHeader& header, std::span<const std::byte> body, Instant now);
  bool handle_segment(Rank from, WireReader& in, bool coded, Instant now);
  bool handle_status(Rank from, WireReader& in, Instant now);
  bool handle_fin(Rank from, WireReader& in, Instant now);
  bool handle_abort(WireReader& in, Instant now);
  void take_echo(Rank from, Echo& echo, Instant now);
  void take_room(Rank from, const StatusHeader& status, Instant now);
  void acknowledge_before(Rank from, MessageId position, Instant now);
  IncomingMessage* open_incoming(Rank from, const SegmentHeader& header, Instant now);
  IncomingMessage::Accepted accept(IncomingMessage& message, const SegmentHeader& header,
                                   std::span<const std::byte> payload, bool coded, Rank from, Instant now);
  static bool is_of_older_cut(Peer& other, IncomingMessage& message, const SegmentHeader& header);
  void fail_for_memory(Rank from, std::uint64_t bytes, Instant now);
  void message_arrived(Rank from, const IncomingMessage& message);
  void after_segment(Rank from, const SegmentHeader& header, IncomingMessage* message, Instant now);
  void plan_report(Rank from, bool gap, Instant now);
  Duration report_interval(const Peer& other) const;
  void plan_repeated_report(Rank from, Instant now);
  bool is_past(MessageId id) const { return id < position_; }

  // endpoint_repairs.cpp
  void queue_repairs(Rank to, OutgoingMessage& message, const LossDetection& detection, SegmentRange told,
                     Instant now);
  void queue_segments(Rank to, OutgoingMessage& message, Instant now);
  void queue_for_block(Rank to, OutgoingMessage& message, std::uint32_t block,
                       std::span<const std::uint32_t> lost, bool whole, Instant now);

  // endpoint_send.cpp
  std::optional<Transmit> next_control(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_report(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_ack(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_repair(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_copy(std::span<std::byte> buffer, Instant now);
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
  void release_held_back(Rank rank);
  void finish_pass(const PassJob& job, Instant now);

  EndpointConfig config_;
  std::uint16_t job_tag_;
  std::uint16_t room_;                        ///< for each peer in this rank's receive buffer
  std::vector<std::unique_ptr<Peer>> peers_;  ///< by rank; none for the own
  RateControl rate_;
  ReportQueue reports_;
  SendQueue queue_;
  DelayedQueue<ControlJob> control_;
  DelayedQueue<AckJob> acks_;
  DeadlineHeap deadlines_;
  RoundClock round_;
  int acknowledgement_copies_;  ///< k of the round recovery: as in the last leg in which this rank sent

  std::uint32_t next_superstep_ = 0;
  MessageId position_;  ///< every message to this rank before this one has arrived
  CurrentLeg leg_;
  std::vector<std::uint32_t> lost_;  ///< scratch: segments one report found lost
  std::shared_ptr<RedundancyPlanner> planner_;
  Forecast forecast_;

  Farewell farewell_;
  std::optional<Failure> failure_;
  AbortNotice notice_;
  Instant last_call_;
  Instant last_moved_{};
  TrafficCounters counters_;
  BytesPerSecond best_arrival_rate_;
};

template <class Action>
void Endpoint::for_each_peer(Action action) {
  for (Rank i = 1; i < config_.size; ++i)
    action((config_.rank + i) % config_.size);
}

}  // namespace lbsp::transport
