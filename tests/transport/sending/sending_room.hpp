#pragma once

#include <utility>
#include <vector>

#include "tests/transport/message_ids.hpp"
#include "tests/transport/room_state.hpp"

/// What tests of sending look at.
namespace lbsp::transport::testing {

constexpr std::size_t two_segments = 2000;  ///< of payload

/// Receiver and segment, or block, of each datagram.
inline std::vector<std::pair<Rank, std::uint32_t>> segments(const std::vector<Opened>& datagrams) {
  std::vector<std::pair<Rank, std::uint32_t>> list;
  for (const Opened& each : datagrams) {
    WireReader in = each.reader();
    list.emplace_back(each.header.destination,
                      read_segment_header(in, each.header.kind == DatagramKind::coded, 0)->segment);
  }
  return list;
}

struct SendingRoom : RoomState<ReceiverDriven> {
  using RoomState<ReceiverDriven>::RoomState;

  MessagePlan plan(int copies, bool coded = false, int repairs = 0) {
    MessagePlan plan;
    plan.copies = copies;
    plan.coded = coded;
    plan.repair_segments = repairs;
    return plan;
  }
  TrafficCounters& counters() { return state.counters; }
};

}  // namespace lbsp::transport::testing
