#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/early_messages.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/sending/in_flight.hpp"

namespace lbsp::transport {

/// Sends the messages of a leg: segment after segment, copy after copy, and what the recovery has queued.
class Sending {
 public:
  Sending(EndpointState& state, DatagramWriter& writer, const InFlight& in_flight, LossRecovery& recovery)
      : state_(state), writer_(writer), in_flight_(in_flight), recovery_(recovery) {}

  /// Throws MessageTooLarge if a message of this superstep exceeds the ceiling.
  void check_size(Rank to, const Bytes& message, std::uint32_t superstep) const;
  /// Queues the messages of the leg that has begun, by rank.
  void add_messages(std::vector<Bytes> outgoing, Instant now);
  /// Queues messages that are awaited in a later superstep, behind those of all earlier ones. Throws as check_size().
  void add_early(std::uint32_t superstep, EarlyMessages messages);

  /// The next datagram of those that are ready in this queue; none if there is none.
  const Transmit* next(SendQueue& queue, std::span<std::byte> buffer, Instant now);

 private:
  const Transmit& write_acknowledgement(const AckJob& job, std::span<std::byte> buffer, Instant now);
  const Transmit* write_repair(const RepairJob& job, std::span<std::byte> buffer, Instant now);
  const Transmit* write_copy(OldestFirstQueue<PassJob>& passes, std::span<std::byte> buffer, Instant now);
  const Transmit* write_planned_coded(const PassJob& job, OutgoingMessage& message,
                                      std::span<std::byte> buffer, Instant now);
  const Transmit* write_spare(SpareJob job, std::span<std::byte> buffer, Instant now);
  const Transmit& write_segment(Peer& to, OutgoingMessage& message, std::uint32_t segment,
                                std::span<std::byte> buffer, Instant now, bool in_train = false);
  const Transmit& write_coded(Peer& to, OutgoingMessage& message, std::uint32_t block,
                              std::span<std::byte> buffer, Instant now);
  void begin_coded_passes(const Peer& to, OutgoingMessage& message, std::uint32_t sent);
  void end_spares(SendQueue& queue);
  void do_without_spares(const Peer& to, OutgoingMessage& message, std::uint32_t first_block);
  void begin_spares(const PassJob& job, OutgoingMessage& message, Instant now);
  void finish_pass(const PassJob& job, OutgoingMessage& message, Instant now);
  void hold_back(const PassJob& job, Instant now);
  void note_sent(Peer& to, MessageId id, Instant now);
  std::uint64_t bytes_that_wait() const;
  const OutgoingMessage& add_message(MessageId id, Rank rank, Bytes payload);

  EndpointState& state_;
  DatagramWriter& writer_;
  const InFlight& in_flight_;
  LossRecovery& recovery_;
};

}  // namespace lbsp::transport
