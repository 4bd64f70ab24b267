#include "transport/core/paper_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "transport/core/likely_cause.hpp"

namespace lbsp::transport {
namespace {

/// A round brings nothing if its one segment or the acknowledgement is lost.
constexpr int rounds_without_progress = 10;

/// In the whole-round scheme, each of which sends everything again: a leg with one chance in 50 a round that
/// nothing is lost takes longer once in 20,000.
constexpr std::uint64_t most_whole_rounds = 500;

bool acknowledged(const OpenMessages<OutgoingMessage>& messages) {
  return std::all_of(messages.begin(), messages.end(),
                     [](const OutgoingMessage& message) { return message.acknowledged(); });
}

}  // namespace

void PaperRounds::leg_begun(Instant now) {
  if (state_.leg.awaited == 0 && state_.leg.destinations.empty()) return complete_leg();
  start_clock(now);
}

void PaperRounds::start_clock(Instant now) {
  const CurrentLeg& leg = state_.leg;
  const ExchangeOptions& options = state_.config.options;
  std::uint64_t segments = 0;  // h
  Duration round_trip{0};      // β
  int copies = 1;              // k
  for (const Rank to : leg.destinations) {
    const OutgoingMessage& message = *state_.peers[to].outgoing.find(leg.id);
    segments += message.segment_count();
    copies = std::max(copies, message.plan().copies);
    round_trip = std::max(round_trip, state_.peers[to].path.round_trip());
  }
  for (const Rank from : leg.sources)
    round_trip = std::max(round_trip, state_.peers[from].path.round_trip());
  const double bytes = static_cast<double>(segments) * static_cast<double>(options.datagram_bytes);
  const Duration serialisation = options.rate.time_for(copies * bytes);  // k·h·α
  // Who sends nothing has no plan, but acknowledges what others send.
  if (!leg.destinations.empty()) acknowledgement_copies_ = copies;
  ++state_.counters.rounds;
  clock_.start(2 * (serialisation + round_trip), now);
}

void PaperRounds::handle_timeout(Instant now) {
  if (clock_.deadline() > now) return;
  const bool done = all_acknowledged();
  if (done && state_.leg.awaited == 0) {
    clock_.stop();
    complete_leg();
    return;
  }
  clock_.advance(now);
  ++state_.counters.rounds;
  if (!done) send_again(state_.config.options.recovery == Recovery::whole_round);
}

void PaperRounds::complete_leg() {
  state_.complete_leg();
  for (const Rank to : state_.leg.destinations) {
    state_.peers[to].outgoing.remove_if(
        [](const OutgoingMessage& message) { return message.acknowledged(); });
  }
}

void PaperRounds::send_again(bool everything) {
  for (const Rank to : state_.leg.destinations) {
    OutgoingMessage* message = state_.peers[to].outgoing.find(state_.leg.id);
    if (message == nullptr || (!everything && message->acknowledged())) continue;
    message->begin_round(everything);
    state_.queue.passes.push(PassJob{to, state_.leg.id, 0, 0});
  }
}

bool PaperRounds::all_acknowledged() const {
  return std::ranges::all_of(state_.leg.destinations,
                             [&](Rank to) { return acknowledged(state_.peers[to].outgoing); });
}

/// k acknowledgements for every segment that arrives, once in each round, as in the paper.
void PaperRounds::segment_arrived(Rank from, const SegmentHeader& header, IncomingMessage* message, Instant) {
  const bool known = message != nullptr && header.segment < message->segment_count();
  if (known && !message->first_in_round(header.segment, header.round)) return;
  const int copies = known ? acknowledgement_copies_ : 1;
  for (int i = 0; i < copies; ++i)
    state_.acks.push(AckJob{from, header.message, header.round, header.segment});
}

bool PaperRounds::acknowledgement_arrived(Rank from, const SegmentAck& ack, Instant now) {
  Peer& other = state_.peers[from];
  OutgoingMessage* message = other.outgoing.find(ack.message);
  if (message == nullptr) return true;
  if (ack.segment >= message->segment_count()) return false;
  // When everything is sent again, what an earlier round achieved does not count.
  const bool whole = state_.config.options.recovery == Recovery::whole_round;
  const bool counts = !whole || ack.round == clock_.number();
  if (whole) clock_.acknowledged(counts);
  if (!counts) return true;
  const std::uint32_t never_before = message->never_acknowledged();
  message->acknowledge(ack.segment);
  // A segment that no round brings there, such as one too large for the path, is not helped by the others.
  // Where each has arrived in some round, only luck brings all in one.
  const bool may_succeed = never_before == 0 && clock_.count() <= most_whole_rounds;
  if (message->never_acknowledged() < never_before || may_succeed) other.acknowledged_at = now;
  return true;
}

bool PaperRounds::moving(const Peer& other) const {
  return state_.leg.active && !acknowledged(other.outgoing);
}

/// A peer that is beyond the leg takes its message as acknowledged, and sends no more of it.
bool PaperRounds::will_come(const StatusHeader& status) const {
  return status.moving && status.position <= state_.leg.id;
}

Instant PaperRounds::acknowledgement_due(const Peer& other) const {
  if (!state_.leg.active || acknowledged(other.outgoing)) return never;
  const Duration limit =
      std::max(state_.config.options.peer_timeout, rounds_without_progress * clock_.length());
  return other.acknowledged_at + limit;
}

std::string PaperRounds::why_unacknowledged(const Peer& other, const OutgoingMessage& message) const {
  if (message.never_acknowledged() == 0) {
    std::uint64_t segments = 0;
    for (const Rank to : state_.leg.destinations) {
      for (const OutgoingMessage& each : state_.peers[to].outgoing)
        segments += each.segment_count();
    }
    return fmt::format(
        "{} rounds of {} segments have each lost something (of what goes to it, {:.2g} % is "
        "lost): try --recovery receiver, or more --copies",
        clock_.count(), segments, 100 * other.reported_loss.loss / 65535.0);
  }
  if (clock_.acknowledgements_are_late()) {
    return fmt::format(
        "its acknowledgements come after their round of {:.0f} ms: try --recovery receiver, "
        "or a lower --rate if the machine is busy",
        std::chrono::duration<double, std::milli>(clock_.length()).count());
  }
  const bool some = message.never_acknowledged() < message.segment_count();
  const std::size_t datagram = message.largest_payload() + data_overhead_bytes;
  return likely_cause(datagram, std::max(other.largest_echoed, some ? datagram : 0));
}

}  // namespace lbsp::transport
