#include "transport/queues/bound/beside_others.hpp"

#include <algorithm>
#include <cmath>

#include "transport/queues/bound/mean_loss.hpp"

namespace lbsp::transport {
namespace {

/// Steps in parts of the rate: this at 25 Mbit/s, and twice it at a quarter of that; …
constexpr double step_at_usual_rate = 0.06;
constexpr double usual_rate = 25e6 / 8;
constexpr double least_step_beside_others = 0.01;
constexpr double most_step_beside_others = 0.25;
/// … and what stands too long is to be gone after so many round trips, less a little. A rate that has to be found takes
/// longer, on long paths by so much time at the most: it sends no more than a TCP would, and others keep the queue
/// full.
constexpr double round_trips_to_go = 4;
constexpr double most_round_trips_to_go = 8;
constexpr double longer_to_go = 0.16;  // seconds
constexpr double leak = 0.02;

/// What a Cubic TCP does on such links: datagrams that it adds in a round trip, and what is left of its rate after a
/// loss (RFC 9438, sections 4.3 and 4.6).
constexpr double tcp_datagrams = 0.53;
constexpr double tcp_falls_to = 0.7;
/// A loss is what exceeds this, no more than so many times what is lost without a queue, and so many of its standard
/// deviations.
constexpr double noise_of_drops = 0.02;
constexpr double noise_per_own_loss = 10;
constexpr double doubt_of_drops = 2;
/// Of all, where delays vary: then a queue is full that looks like delays.
constexpr double many_drops = 0.06;
/// Who paused for longer does not go on rising.
constexpr double longest_round = 1;  // seconds

/// In seconds.
double time_to_go(const BesideOthers::Round& round) {
  const double least = round_trips_to_go * round.round_trip;
  return round.varying ? least : std::min(most_round_trips_to_go * round.round_trip, least + longer_to_go);
}

}  // namespace

void BesideOthers::begin(double carried, Instant now) {
  held_ = true;
  loss_ = 0;
  like_tcp_ = carried;
  seen_at_ = now;
}

double BesideOthers::rate_after(const QueueSeen& seen, const Round& round) {
  const double step = std::clamp(step_at_usual_rate * std::sqrt(usual_rate / seen.rate),
                                 least_step_beside_others, most_step_beside_others);
  const double drain = (seen.queue - round.tolerated_queue) / (time_to_go(round) + seen.queue);
  const double next = round.carried * (1 + step - leak - drain);
  add_to_mean(loss_, seen.loss, seen.datagrams);
  const double tcp = like_tcp(seen, round);
  const bool drops = clearly_more_loss(loss_, round.own_loss, many_drops);
  return round.varying && !drops ? next : std::min(next, tcp);
}

double BesideOthers::like_tcp(const QueueSeen& seen, const Round& round) {
  const double round_trip = round.round_trip + seen.queue;
  const double chance =
      std::sqrt(round.own_loss * (1 - round.own_loss) / std::max<double>(seen.datagrams, 1));
  const double noise = std::min(noise_of_drops, noise_per_own_loss * round.own_loss);
  if (seen.loss - round.own_loss > noise + doubt_of_drops * chance) {
    like_tcp_ = tcp_falls_to * round.carried;
  } else {
    const double round_trips = std::min(seconds(seen.later_at - seen_at_), longest_round) / round_trip;
    like_tcp_ += tcp_datagrams * round_trips * static_cast<double>(round.datagram_bytes) / round_trip;
  }
  seen_at_ = seen.later_at;
  return like_tcp_;
}

}  // namespace lbsp::transport
