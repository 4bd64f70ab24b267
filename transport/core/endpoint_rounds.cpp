#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "transport/core/datagram_sizes.hpp"
#include "transport/core/endpoint.hpp"

/// The paper's two recovery schemes: what differs from the receiver-driven one.
namespace lbsp::transport {
namespace {

/// In the whole-round scheme, each of which sends everything again: a leg with one chance in 50 a round that
/// nothing is lost takes longer once in 20,000.
constexpr std::uint64_t most_whole_rounds = 500;

}  // namespace

void Endpoint::start_round_clock(Instant now) {
  std::uint64_t segments = 0;  // h
  Duration round_trip{0};      // β
  int copies = 1;              // k
  for (const Rank to : leg_.destinations) {
    const OutgoingMessage& message = *peer(to).outgoing.find(leg_.id);
    segments += message.segment_count();
    copies = std::max(copies, message.plan().copies);
    round_trip = std::max(round_trip, peer(to).path.round_trip());
  }
  for (const Rank from : leg_.sources)
    round_trip = std::max(round_trip, peer(from).path.round_trip());
  const double bytes = static_cast<double>(segments) * static_cast<double>(config_.options.datagram_bytes);
  const Duration serialisation = config_.options.rate.time_for(copies * bytes);  // k·h·α
  // Who sends nothing has no plan, but acknowledges what others send.
  if (!leg_.destinations.empty()) acknowledgement_copies_ = copies;
  ++counters_.rounds;
  round_.start(2 * (serialisation + round_trip), now);
}

void Endpoint::handle_round_end(Instant now) {
  if (all_acknowledged() && leg_.awaited == 0) {
    round_.stop();
    complete_leg();
    return;
  }
  round_.advance(now);
  ++counters_.rounds;
  if (!all_acknowledged()) begin_round(config_.options.recovery == Recovery::whole_round);
}

void Endpoint::begin_round(bool everything) {
  for (const Rank to : leg_.destinations) {
    OutgoingMessage* message = peer(to).outgoing.find(leg_.id);
    if (message == nullptr || (!everything && message->acknowledged())) continue;
    message->begin_round(everything);
    queue_.passes.push(PassJob{to, leg_.id, 0, 0});
  }
}

bool Endpoint::all_acknowledged() const {
  return std::all_of(leg_.destinations.begin(), leg_.destinations.end(), [&](Rank to) {
    const auto& outgoing = peer(to).outgoing;
    return std::all_of(outgoing.begin(), outgoing.end(),
                       [](const OutgoingMessage& message) { return message.acknowledged(); });
  });
}

/// Round recovery: k acknowledgements for every segment that arrives, once in each round, as in the paper.
void Endpoint::acknowledge_in_round(Rank from, const SegmentHeader& header, IncomingMessage* message) {
  const bool known = message != nullptr && header.segment < message->segment_count();
  if (known && !message->first_in_round(header.segment, header.round)) return;
  const int copies = known ? acknowledgement_copies_ : 1;
  for (int i = 0; i < copies; ++i)
    acks_.push(AckJob{from, header.message, header.round, header.segment});
}

bool Endpoint::handle_ack(Rank from, WireReader& in, Instant now) {
  auto ack = read_segment_ack(in);
  if (!ack) return false;
  take_echo(from, ack->echo, now);
  if (receiver_driven()) return false;
  OutgoingMessage* message = peer(from).outgoing.find(ack->message);
  if (message == nullptr) return true;
  if (ack->segment >= message->segment_count()) return false;
  // When everything is sent again, what an earlier round achieved does not count.
  const bool counts = config_.options.recovery == Recovery::rounds || ack->round == round_.number();
  if (config_.options.recovery == Recovery::whole_round) round_.acknowledged(counts);
  if (!counts) return true;
  const std::uint32_t never_before = message->never_acknowledged();
  message->acknowledge(ack->segment);
  // A segment that no round brings there, such as one too large for the path, is not helped by the others.
  // Where each has arrived in some round, only luck brings all in one.
  const bool may_succeed = never_before == 0 && round_.count() <= most_whole_rounds;
  if (message->never_acknowledged() < never_before || may_succeed) peer(from).acknowledged_at = now;
  return true;
}

/// Why a message that the peer answers is not acknowledged.
std::string Endpoint::cause_of_no_acknowledgement(const Peer& other, const OutgoingMessage& message) const {
  if (message.never_acknowledged() == 0) {
    std::uint64_t segments = 0;
    for (const Rank to : leg_.destinations) {
      for (const OutgoingMessage& each : peer(to).outgoing)
        segments += each.segment_count();
    }
    return fmt::format(
        "{} rounds of {} segments have each lost something (of what goes to it, {:.2g} % is "
        "lost): try --recovery receiver, or more --copies",
        round_.count(), segments, 100 * other.reported_loss.loss / 65535.0);
  }
  if (round_.acknowledgements_are_late()) {
    return fmt::format(
        "its acknowledgements come after their round of {:.0f} ms: try --recovery receiver, "
        "or a lower --rate if the machine is busy",
        std::chrono::duration<double, std::milli>(round_.length()).count());
  }
  const bool some = message.never_acknowledged() < message.segment_count();
  const std::size_t datagram = message.largest_payload() + data_overhead_bytes;
  return likely_cause(datagram, std::max(other.largest_echoed, some ? datagram : 0));
}

}  // namespace lbsp::transport
