#pragma once

#include <gtest/gtest.h>

#include "tests/transport/message_ids.hpp"
#include "tests/transport/room_state.hpp"
#include "transport/core/receiving.hpp"

namespace lbsp::transport::testing {

/// Rank 0, which gives what rank 1 has sent to what takes it from the network.
class ReceivingTest : public ::testing::Test {
 protected:
  ReceivingTest() { room_.begin_leg(100); }

  ClearHeader header(DatagramKind kind, std::uint64_t packet) {
    return {kind, 1, 0, room_.state.config.key.tag(), packet};
  }
  Bytes data(std::uint64_t packet, std::uint32_t segment = 0, MessageId message = first) {
    return sealed(room_.state.config, header(DatagramKind::data, packet), [&](WireWriter& out) {
      write(out, segment_of(message, 3000, segment));
      out.put(std::span<const std::byte>(Bytes(1000, std::byte{5})));
    });
  }
  template <class Body>
  void take(DatagramKind kind, std::uint64_t packet, const Body& body) {
    take(sealed(room_.state.config, header(kind, packet), [&](WireWriter& out) { write(out, body); }));
  }
  void take(Bytes datagram, Instant now = start) { receiving_.take(datagram, now); }
  TrafficCounters& counters() { return room_.state.counters; }

  RoomState<ReceiverDriven> room_;
  Liveness liveness_{room_.state, room_.farewell, *room_.recovery, start};
  Control control_{room_.state, room_.writer};
  Assembly assembly_{room_.state};
  SizeFinder sizes_{room_.state, room_.writer, *room_.recovery};
  Granting granting_{room_.state};
  AddressChecks addresses_{room_.state, room_.writer};
  Receiving receiving_{room_.state,
                       {assembly_, room_.in_flight, liveness_, *room_.recovery, room_.farewell, control_,
                        sizes_, granting_, addresses_}};
};

}  // namespace lbsp::transport::testing
