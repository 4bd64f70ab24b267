#include "transport/recovery/leg_ahead.hpp"

#include <algorithm>

#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

std::uint32_t never_sent(const OutgoingMessage& message) {
  return message.segment_count() - message.first_never_sent();
}

}  // namespace

bool heard_in_time(const EndpointState& state, const Peer& to, const OutgoingMessage& message) {
  if (to.near || message.id() != state.legs.id()) return false;
  const double heard_after = protocol::heard_round_trips * seconds(to.path.times.round_trip());
  const double enough_bytes = state.rate.rate().value * heard_after;
  const std::uint32_t own = never_sent(message);
  double bytes = 0;
  for (const Rank rank : state.legs.destinations()) {
    const Peer& other = state.peers[rank];
    const OutgoingMessage* const beside = other.near ? nullptr : other.outbound.messages.find(message.id());
    if (beside != nullptr)
      bytes += static_cast<double>(std::min(own, never_sent(*beside))) * beside->segment_bytes();
    if (bytes > enough_bytes) return true;
  }
  return false;
}

}  // namespace lbsp::transport
