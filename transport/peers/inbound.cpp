#include "transport/peers/inbound.hpp"

#include <algorithm>
#include <chrono>

#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

/// Questions that have waited for longer did so while the process was stopped, if no clock was set.
constexpr Duration longest_wait_of_question = std::chrono::seconds{1};

/// How far apart questions arrive tells how fast the link is, also if a busy host reads them together. Of all else it
/// counts when it was read: who reads slowly is to get no more than that. But a process that did not run at all says
/// nothing of the path.
Instant arrived_at(DatagramKind kind, const Arrival& arrival) {
  const Duration waited =
      is_question(kind) ? std::min(arrival.waited, longest_wait_of_question) : Duration{0};
  return arrival.at - std::max(waited, arrival.slept);
}

}  // namespace

bool Inbound::enter(const ClearHeader& header, std::size_t bytes, Duration round_trip,
                    const Arrival& arrival) {
  const Instant now = arrival.at;
  const std::uint64_t packet = header.packet_number;
  bool gap = false;
  if (packet >= numbers.next()) {
    const std::uint64_t missing = packet - numbers.next();
    const std::uint64_t questions = std::min<std::uint64_t>(missing, header.questions_before);
    gap = missing > questions;
    const std::uint64_t lost = gap ? order.missing(numbers.next(), packet - questions, now) : 0;
    unanswered += questions;
    loss.newest_arrived(lost + order.given_up(now));
    largest_number = {now, arrived_at(header.kind, arrival), arrival.slept};
  } else if (is_question(header.kind) && unanswered > 0) {
    --unanswered;
  } else if (order.late(packet, round_trip, now)) {
    loss.late_arrived();
  }
  numbers.enter(packet);
  if (in_turn.enter(packet, header.questions_before, numbers, order.late_by(), now))
    tell_of({now, arrived_at(header.kind, arrival), arrival.slept});
  marks.enter(arrival.ecn);
  last_heard = now;
  largest = std::max(largest, bytes);
  if (bytes >= long_arrival.bytes) {
    long_arrival.loss = loss;
    long_arrival.missing = missing();
  }
  return gap;
}

/// Shorter segments than before may also be a matter of choice, from the usual longest datagrams on.
void Inbound::cut(std::size_t whole) {
  if (whole >= long_arrival.bytes || whole >= usual_longest_datagram_bytes) {
    long_arrival.bytes = std::max(long_arrival.bytes, whole);
    return;
  }
  loss = loss_before = long_arrival.loss;
  unanswered += missing() - std::min(missing(), long_arrival.missing);
  long_arrival = {whole, loss, missing()};
}

void Inbound::tell_of(const Times& datagram) {
  newest_at = datagram.at;
  newest_slept = datagram.slept;
  newest_arrived_at = std::max(newest_arrived_at, datagram.arrived_at);
}

void Inbound::make_echo(Instant now) {
  told_at = now;
  if (numbers.next() == 0) return;
  if (in_turn.gives_up(order.late_by(), now)) {
    in_turn.give_up(numbers);
    tell_of(largest_number);
  }
  const auto microseconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  const auto held = std::clamp<std::int64_t>(microseconds(now - newest_at + newest_slept), 0, UINT32_MAX);
  told = {
      .packets = in_turn.next(),
      .hold_microseconds = static_cast<std::uint32_t>(held),
      .arrival_microseconds = static_cast<std::uint32_t>(microseconds(newest_arrived_at.time_since_epoch())),
      .arrived = static_cast<std::uint32_t>(numbers.distinct() - in_turn.ahead()),
      .loss = loss.report()};
}

}  // namespace lbsp::transport
