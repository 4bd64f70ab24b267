#include "transport/queues/bound/slow_link.hpp"

#include <algorithm>
#include <cmath>

#include "transport/queues/bound/equal_steps.hpp"

namespace lbsp::transport {
namespace {

/// A slow link carries fewer in a round trip.
constexpr double few_datagrams = 8;

/// In datagrams. A datagram's own time is no queue, nor is one that it meets by chance. On slow links it may take its
/// own time on two, the sender's and the receiver's.
constexpr double queue_of_own = 2;
constexpr double queue_of_own_on_slow = 3;

/// Sent in a round trip at least, or in this time if that is longer: on short paths, two in a round trip are more than
/// most links carry.
constexpr double least_datagrams_sent = 2;
constexpr double shortest_time_to_send = 0.02;  // seconds
/// Some that share a link of four datagrams have one in a round trip each, and have to be able to send less.
constexpr double least_datagrams_sent_on_slow = 0.5;

/// Of the rate, in a round.
constexpr double most_step_on_slow = 0.1;

/// Loss is the queue's if a datagram has met one of so many datagrams, and so much more is lost than usual.
constexpr double queue_that_drops = 1.75;
constexpr double least_drops = 0.02;
constexpr double deviations_over_own_loss = 2;  // standard deviations
/// Of the longest that a datagram has met of late.
constexpr double part_of_longest_queue = 0.7;

}  // namespace

void SlowLink::note(std::optional<double> carried, double round_trip, double datagram_bytes) {
  carried_ = carried.value_or(0);
  round_trip_ = round_trip;
  datagram_bytes_ = datagram_bytes;
  slow_ = carried && *carried * round_trip < few_datagrams * datagram_bytes;
}

double SlowLink::own_queue(double rate) const {
  if (slow_) return queue_of_own_on_slow * datagram_bytes_ / std::max(rate, carried_);
  return queue_of_own * datagram_bytes_ / rate;
}

double SlowLink::least_rate(double queue) const {
  const double datagrams = slow_ ? least_datagrams_sent_on_slow : least_datagrams_sent;
  return datagrams * datagram_bytes_ / (std::max(round_trip_, shortest_time_to_send) + queue / 4);
}

double SlowLink::most_step() const {
  return slow_ ? most_step_on_slow : EqualSteps::most_step;
}

bool SlowLink::had_room(const QueueSeen& seen) const {
  return slow_ && seen.longest <= part_of_longest_queue * longest_.value();
}

bool SlowLink::drops(const QueueSeen& seen, double own_loss) const {
  if (!slow_ || had_room(seen) || seen.longest <= queue_that_drops * datagram_bytes_ / carried_) return false;
  const double chance = std::sqrt(own_loss * (1 - own_loss) / std::max(seen.datagrams, 1.0));
  return seen.loss - own_loss > least_drops + deviations_over_own_loss * chance;
}

}  // namespace lbsp::transport
