#include <algorithm>

#include "transport/core/datagram_sizes.hpp"
#include "transport/core/endpoint.hpp"

/// How long datagrams may be: what the system says of a route, what a peer uses, what does not arrive.
namespace lbsp::transport {

std::size_t Endpoint::segment_bytes_to(const Peer& other) const {
  return other.datagram_bytes - data_overhead_bytes;
}

void Endpoint::limit_datagrams(Rank to, std::size_t bytes, Instant now) {
  Peer& other = peer(to);
  other.datagram_bytes = std::clamp(bytes, min_datagram_bytes, other.datagram_bytes);
  // An acknowledgement of the paper's schemes does not tell of which cut it is. What does not pass ends the
  // job after the silent-peer limit; later messages fit.
  if (receiver_driven() && !failure_) cut_anew(to, now);
}

/// Messages whose segments are too long for the path begin again, in shorter ones.
void Endpoint::cut_anew(Rank to, Instant now) {
  Peer& other = peer(to);
  for (OutgoingMessage& message : other.outgoing) {
    if (message.acknowledged() || message.largest_payload() <= segment_bytes_to(other)) continue;
    const auto of_message = [&](const auto& job) { return job.peer == to && job.message == message.id(); };
    queue_.repairs.remove_if(of_message);
    queue_.passes.remove_if(of_message);
    std::erase_if(other.held_back, of_message);
    message.cut_anew(segment_bytes_to(other));
    queue_.passes.push(PassJob{to, message.id(), 0, 0});
  }
  other.narrow = {};
  update_probe(to, now);
}

/// Both ends of a path mostly find the same limit: what a peer does not send will not reach it either.
/// Messages that are on their way stay as they are, in case they do reach it.
void Endpoint::take_size_of(Peer& other, std::size_t segment_bytes) {
  const std::size_t bytes = std::max(segment_bytes + data_overhead_bytes, min_datagram_bytes);
  other.datagram_bytes = std::min(other.datagram_bytes, bytes);
}

void Endpoint::look_for_narrow_path(Rank from, Instant now) {
  Peer& other = peer(from);
  if (!other.newest_echoed) return;
  const bool witness = other.narrow.reported(other.newest_echoed->packet_number, other.newest_echoed->bytes);
  if (!witness && !(other.narrow.suspected() && other.narrow.untold())) return;
  if (!other.narrow.certain()) {
    // The repairs that the report called for are large. Something small after them makes the next witness;
    // it may be lost, like any other.
    other.report_at = std::min(other.report_at, now + report_interval(other));
    schedule(from);
    return;
  }
  const bool limit_known = other.narrow.smallest_large() > other.datagram_bytes;
  const std::size_t bytes = limit_known ? other.datagram_bytes : next_smaller_datagram(other.datagram_bytes);
  if (bytes > 0) limit_datagrams(from, bytes, now);
}

}  // namespace lbsp::transport
