#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/ending/farewell.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/recovery/paper_rounds.hpp"
#include "transport/recovery/receiver_driven.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/sending/in_flight.hpp"
#include "transport/sending/sending.hpp"

/// What one room of an endpoint needs of the others, without a network.
namespace lbsp::transport::testing {

using namespace std::chrono_literals;

constexpr Duration patience = 15s;

/// Rank 0 of a job.
inline EndpointConfig config_of(Rank size, Recovery recovery = Recovery::receiver) {
  EndpointConfig config;
  config.size = size;
  config.options.recovery = recovery;
  config.options.peer_timeout = patience;
  return config;
}

/// A datagram as its receiver opens it.
struct Opened {
  ClearHeader header;
  Bytes body;

  WireReader reader() const { return WireReader(body); }
};

inline Opened open(const EndpointConfig& config, std::span<std::byte> datagram) {
  const ClearHeader header = *read_clear_header(datagram);
  DirectionKey key(config.key, header.source, header.destination, config.cipher);
  const auto body = key.open(header.packet_number, datagram.first(clear_header_bytes),
                             datagram.subspan(clear_header_bytes));
  return {header, body ? Bytes(body->begin(), body->end()) : Bytes{}};
}

/// A datagram as `header.source` seals it.
template <class WriteBody>
Bytes sealed(const EndpointConfig& config, ClearHeader header, WriteBody write_body) {
  Bytes datagram(1500, std::byte{});
  WireWriter out(datagram);
  write(out, header);
  write_body(out);
  datagram.resize(out.written() + tag_bytes);
  DirectionKey key(config.key, header.source, header.destination, config.cipher);
  key.seal(header.packet_number, std::span(datagram).first(clear_header_bytes),
           std::span(datagram).subspan(clear_header_bytes));
  return datagram;
}

/// The header of a segment of a message of `total` bytes, in segments of 1000.
inline SegmentHeader segment_of(MessageId message, std::uint64_t total, std::uint32_t segment) {
  SegmentHeader header;
  header.message = message;
  header.total_bytes = total;
  header.segment = segment;
  header.segment_bytes = 1000;
  const std::uint64_t begin = std::uint64_t{segment} * 1000;
  if (begin <= total && total - begin < 1000)
    header.shorter_by = static_cast<std::uint16_t>(1000 - (total - begin));
  return header;
}

/// The state of rank 0, its recovery, and what leg and messages need.
template <class Resident>
struct RoomState {
  explicit RoomState(EndpointConfig config) : state(std::move(config), start) {}
  explicit RoomState(Rank size = 2)
      : RoomState(
            config_of(size, std::is_same_v<Resident, PaperRounds> ? Recovery::rounds : Recovery::receiver)) {}

  static std::unique_ptr<Resident> make(EndpointState& state, Farewell& farewell) {
    if constexpr (std::is_same_v<Resident, PaperRounds>) {
      return std::make_unique<PaperRounds>(state);
    } else {
      return std::make_unique<ReceiverDriven>(state, farewell);
    }
  }

  EndpointState state;
  std::vector<Rank> fins;  ///< to whom FIN was to be said
  Farewell farewell{state.peers, state.alarm, patience, [this](Rank rank) { fins.push_back(rank); }};
  std::unique_ptr<Resident> recovery = make(state, farewell);
  DatagramWriter writer{state};
  InFlight in_flight{state};
  Sending sending{state, writer, in_flight, *recovery};
  Peer& other = state.peers[1];

  /// Begins a leg in which `bytes` go to each of the others, and a message is awaited from each.
  void begin_leg(std::size_t bytes, Instant now = start, MessageId id = {}) {
    state.legs.begin(id, state.peers.others(), state.peers.others(), now);
    sending.add_messages(std::vector<Bytes>(static_cast<std::size_t>(state.config.size), Bytes(bytes)), now);
    recovery->leg_begun(now);
  }
  /// The message that goes to rank 1 in the current leg.
  OutgoingMessage& outgoing() { return *other.outbound.messages.find(state.legs.id()); }
  /// Sends what is ready, without the pacer; returns it as its receivers open it.
  std::vector<Opened> send(Instant now = start) {
    std::vector<Opened> datagrams;
    while (auto datagram = send_one(now))
      datagrams.push_back(*std::move(datagram));
    return datagrams;
  }
  std::optional<Opened> send_one(Instant now = start) {
    Bytes buffer(state.config.options.datagram_bytes);
    state.queue.release(now);
    const auto written = sending.next(state.queue, buffer, now);
    if (!written) return std::nullopt;
    return open(state.config, std::span(buffer).first(written->bytes));
  }
};

}  // namespace lbsp::transport::testing
