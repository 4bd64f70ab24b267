#include "transport/core/assembly.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

/// What is left of the smallest datagram; a sender that claims less would make the receiver keep more state
/// than message.
constexpr std::size_t least_segment_bytes = min_datagram_bytes - data_overhead(UINT64_MAX, false);

/// Whether a message may be cut like this.
bool possible_cut(const SegmentHeader& header) {
  return header.segment_bytes >= least_segment_bytes &&
         segments_of(header.total_bytes, header.segment_bytes) <= UINT32_MAX;
}

/// Whether the segment is of an older cut than the message arrives in, or comes after everything has arrived:
/// then it says nothing. With a segment of a newer, shorter cut the message begins again.
bool is_of_older_cut(Peer& from, IncomingMessage& message, const SegmentHeader& header, Instant now) {
  if (header.segment_bytes == message.segment_bytes()) return false;
  if (header.total_bytes != message.total_bytes() || !possible_cut(header)) return false;
  if (header.segment_bytes > message.segment_bytes() || message.complete()) return true;
  message.restart(header.segment_bytes);
  from.report.cursor = {};
  // Both ends of a path mostly find the same limit. Messages that are on their way stay as they are, in case they do
  // reach the peer.
  from.path.sizes.follow(whole_datagram_bytes(header), now);
  return false;
}

}  // namespace

bool Assembly::take(Peer& from, const SegmentHeader& header, std::span<const std::byte> payload, bool coded,
                    Instant now) {
  if (state_.legs.is_past(header.message)) {
    ++state_.counters.segments_duplicate;
    return true;
  }
  IncomingMessage* message = open(from, header);
  if (message == nullptr) return false;
  if (state_.rules.cuts_anew && is_of_older_cut(from, *message, header, now)) {
    ++state_.counters.segments_duplicate;
    return true;
  }
  if (state_.rules.cuts_anew) from.inbound.cut(whole_datagram_bytes(header));
  take_size_of(from, header, now);
  const bool was_complete = message->complete();
  switch (coded ? message->accept_coded(header, payload, now) : message->accept(header, payload, now)) {
    case IncomingMessage::Accepted::contradiction:
      return false;
    case IncomingMessage::Accepted::duplicate:
      ++state_.counters.segments_duplicate;
      break;
    case IncomingMessage::Accepted::segment:
      from.report.idle = 0;
      from.report.calls_in_vain = 0;
      from.wait.progress_at = now;
      break;
  }
  if (!was_complete && message->complete()) {
    best_rate_ = std::max(best_rate_, message->arrival_rate());
    state_.legs.arrived(from, message->id());
  }
  return true;
}

/// A peer whose system knows a limit does not send longer datagrams from the beginning; one that finds the length does
/// not either.
void Assembly::take_size_of(Peer& from, const SegmentHeader& header, Instant now) {
  if (state_.config.options.find_datagram || header.segment_bytes >= from.inbound.segment_bytes) return;
  from.inbound.segment_bytes = header.segment_bytes;
  from.path.sizes.lower(whole_datagram_bytes(header), now);
}

/// The message that the segment belongs to; made, if this is its first, within the ceiling. None if the header
/// makes no sense.
IncomingMessage* Assembly::open(Peer& from, const SegmentHeader& header) {
  if (IncomingMessage* message = from.inbound.messages.find(header.message)) return message;
  if (header.total_bytes > state_.config.options.max_message_bytes || !possible_cut(header)) return nullptr;
  if (header.segment >= segments_of(header.total_bytes, header.segment_bytes)) return nullptr;
  Bytes payload = state_.spare_payloads.take(header.total_bytes);
  return &from.inbound.messages.add(IncomingMessage(header, std::move(payload)));
}

std::vector<Bytes> Assembly::take_messages() {
  const MessageId id = state_.legs.id();
  std::vector<Bytes> messages(static_cast<std::size_t>(state_.config.size));
  for (const Rank rank : state_.legs.sources()) {
    Peer& from = state_.peers[rank];
    Bytes& taken = messages[static_cast<std::size_t>(rank)];
    taken = from.inbound.messages.find(id)->take_payload();
    state_.counters.payload_bytes_received += taken.size();
    if (id.leg != Leg::early) from.inbound.taken_bytes = taken.size();
    if (!state_.rules.acknowledges_segments) {
      from.inbound.messages.remove_if([&](const IncomingMessage& message) { return message.id() == id; });
    }
  }
  return messages;
}

}  // namespace lbsp::transport
