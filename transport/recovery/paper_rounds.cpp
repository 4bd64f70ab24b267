#include "transport/recovery/paper_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "transport/ending/failure.hpp"
#include "transport/recovery/repairs.hpp"

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
  if (state_.legs.all_arrived() && state_.legs.destinations().empty()) return complete_leg();
  start_clock(now);
  for (const Rank to : state_.legs.destinations())
    state_.alarm.set(to, Timer::acknowledgement, acknowledgement_due(state_.peers[to]));
}

void PaperRounds::start_clock(Instant now) {
  const Legs& legs = state_.legs;
  const ExchangeOptions& options = state_.config.options;
  std::uint64_t segments = 0;  // h
  Duration round_trip{0};      // β
  int copies = 1;              // k
  for (const Rank to : legs.destinations()) {
    const OutgoingMessage& message = *state_.peers[to].outbound.messages.find(legs.id());
    segments += message.segment_count();
    copies = std::max(copies, message.plan().copies);
    round_trip = std::max(round_trip, state_.peers[to].path.times.round_trip());
  }
  for (const Rank from : legs.sources())
    round_trip = std::max(round_trip, state_.peers[from].path.times.round_trip());
  const double bytes = static_cast<double>(segments) * static_cast<double>(options.datagram_bytes);
  const Duration serialisation = options.rate.time_for(copies * bytes);  // k·h·α
  // Who sends nothing has no plan, but acknowledges what others send.
  if (!legs.destinations().empty()) acknowledgement_copies_ = copies;
  ++state_.counters.rounds;
  state_.round.start(2 * (serialisation + round_trip), now);
  state_.alarm.set_round(state_.round.deadline());
}

std::optional<AbortNotice> PaperRounds::struck(Rank rank, Timer timer, Instant now) {
  if (timer == Timer::round) {
    end_round(now);
    return std::nullopt;
  }
  const Peer& other = state_.peers[rank];
  const Instant due = acknowledgement_due(other);
  if (due <= now) return does_not_acknowledge(other, now);
  state_.alarm.set(rank, Timer::acknowledgement, due);
  return std::nullopt;
}

void PaperRounds::end_round(Instant now) {
  const bool done = all_acknowledged();
  if (done && state_.legs.all_arrived()) return complete_leg();
  state_.round.advance(now);
  state_.alarm.set_round(state_.round.deadline());
  ++state_.counters.rounds;
  if (!done) send_again(state_.config.options.recovery == Recovery::whole_round, now);
}

void PaperRounds::complete_leg() {
  state_.legs.complete();
  for (const Rank to : state_.legs.destinations()) {
    state_.peers[to].outbound.messages.remove_if(
        [](const OutgoingMessage& message) { return message.acknowledged(); });
  }
}

void PaperRounds::send_again(bool everything, Instant now) {
  for (const Rank to : state_.legs.destinations()) {
    OutgoingMessage* message = state_.peers[to].outbound.messages.find(state_.legs.id());
    if (message == nullptr || (!everything && message->acknowledged())) continue;
    log_unacknowledged(to, *message, now);
    message->begin_round(everything);
    state_.queue_to(state_.peers[to]).passes.push(PassJob{to, state_.legs.id(), 0, 0});
  }
}

void PaperRounds::log_unacknowledged(Rank to, const OutgoingMessage& message, Instant now) const {
  PathLog* const log = state_.config.log.get();
  for (std::uint32_t i = 0; log != nullptr && i < message.first_never_sent(); ++i)
    if (!message.segment(i).acknowledged) log_lost(*log, to, message, {&i, 1}, now);
}

bool PaperRounds::all_acknowledged() const {
  return std::ranges::all_of(state_.legs.destinations(),
                             [&](Rank to) { return acknowledged(state_.peers[to].outbound.messages); });
}

/// k acknowledgements for every segment that arrives, once in each round, as in the paper.
void PaperRounds::segment_arrived(Peer& from, const SegmentHeader& header, Instant) {
  IncomingMessage* message = from.inbound.messages.find(header.message);
  const bool known = message != nullptr && header.segment < message->segment_count();
  if (known && !message->first_in_round(header.segment, header.round)) return;
  const int copies = known ? acknowledgement_copies_ : 1;
  for (int i = 0; i < copies; ++i)
    state_.queue_to(from).acknowledgements.push_back(
        {from.rank, header.message, header.round, header.segment});
}

bool PaperRounds::acknowledgement_arrived(Peer& from, const SegmentAck& ack, Instant now) {
  OutgoingMessage* message = from.outbound.messages.find(ack.message);
  if (message == nullptr) return true;
  if (ack.segment >= message->segment_count()) return false;
  // When everything is sent again, what an earlier round achieved does not count.
  const bool whole = state_.config.options.recovery == Recovery::whole_round;
  const bool counts = !whole || ack.round == state_.round.number();
  if (whole) state_.round.acknowledged(counts);
  if (!counts) return true;
  const std::uint32_t never_before = message->never_acknowledged();
  message->acknowledge(ack.segment);
  if (const auto bytes = message->take_longest_acknowledged())
    from.echoed.largest = std::max(from.echoed.largest, *bytes);
  // A segment that no round brings there, such as one too large for the path, is not helped by the others.
  // Where each has arrived in some round, only luck brings all in one.
  const bool may_succeed = never_before == 0 && state_.round.count() <= most_whole_rounds;
  if (message->never_acknowledged() < never_before || may_succeed) from.wait.acknowledged_at = now;
  return true;
}

bool PaperRounds::moving(const Peer& other) const {
  return state_.legs.active() && !acknowledged(other.outbound.messages);
}

/// A peer that is beyond the leg takes its message as acknowledged, and sends no more of it.
bool PaperRounds::will_come(const StatusHeader& status) const {
  return status.moving && status.position <= state_.legs.id();
}

Instant PaperRounds::acknowledgement_due(const Peer& other) const {
  if (!state_.legs.active() || acknowledged(other.outbound.messages)) return never;
  const Duration limit =
      std::max(state_.config.options.peer_timeout, rounds_without_progress * state_.round.length());
  return other.wait.acknowledged_at + limit;
}

AbortNotice PaperRounds::does_not_acknowledge(const Peer& other, Instant now) const {
  const Duration waited = now - other.wait.acknowledged_at;
  const OutgoingMessage& sent = *std::ranges::find_if(
      other.outbound.messages, [](const OutgoingMessage& each) { return !each.acknowledged(); });
  const std::uint32_t acknowledged = sent.segment_count() - sent.never_acknowledged();
  return {AbortReason::no_progress, other.rank, state_.legs.position().superstep, milliseconds_of(waited),
          fmt::format("of rank {}'s message to it {} of {} segments are acknowledged, none for {:.1f} s: {}",
                      state_.config.rank, acknowledged, sent.segment_count(),
                      std::chrono::duration<double>(waited).count(), why_unacknowledged(other, sent))};
}

std::string PaperRounds::why_unacknowledged(const Peer& other, const OutgoingMessage& message) const {
  if (message.never_acknowledged() == 0) {
    std::uint64_t segments = 0;
    for (const Rank to : state_.legs.destinations()) {
      for (const OutgoingMessage& each : state_.peers[to].outbound.messages)
        segments += each.segment_count();
    }
    return fmt::format(
        "{} rounds of {} segments have each lost something (of what goes to it, {:.2g} % is "
        "lost): try --recovery receiver, or more --copies",
        state_.round.count(), segments, 100 * other.path.loss.loss / 65535.0);
  }
  if (state_.round.acknowledgements_are_late()) {
    return fmt::format(
        "its acknowledgements come after their round of {:.0f} ms: try --recovery receiver, "
        "or a lower --rate if the machine is busy",
        std::chrono::duration<double, std::milli>(state_.round.length()).count());
  }
  return likely_cause(message.longest_datagram(), other.echoed.largest);
}

}  // namespace lbsp::transport
