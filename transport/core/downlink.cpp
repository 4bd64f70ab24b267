#include "transport/core/downlink.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// A round has so much of each.
constexpr std::uint64_t least_round_datagrams = 16;
constexpr std::uint64_t least_round_samples = 4;
constexpr Duration shortest_round = 5ms;
/// One that has not become whole after so many times its length begins again.
constexpr int most_rounds_long = 8;
/// Nothing has come for so many round trips, and so long: what stood in the queue has left it.
constexpr Duration least_pause = 20ms;
/// So long after the last datagram nothing is known of the link any more.
constexpr Duration time_to_forget = 10s;

/// A queue stands if the least that was met is longer than this, and than two datagrams.
constexpr double least_standing = 3e-3;  // seconds
constexpr double standing_of_round_trip = 0.1;
/// The link is flooded if so much more is lost than without a queue in two of so many rounds. Who tries higher rates on
/// a link of its own loses a fifth, and a half where delays vary; of three who send to one rank at the rate of its
/// downlink, each loses two thirds.
constexpr double flood = 0.6;
constexpr int rounds_to_forget = 10;
/// While there is a rate, so much more is dropped.
constexpr double drops = 0.1;

/// A queue is to be gone after so many round trips, …
constexpr double drain_in_round_trips = 4;
/// … by no less than this part of what comes through.
constexpr double most_drained = 0.8;
/// A queue that stands keeps its link busy. One before which so much less has come for so many rounds than before is
/// not that of what comes here.
constexpr int rounds_in_vain = 4;
constexpr double less_than_carried = 0.93;
constexpr Duration first_time_of_doubt = 10s;
constexpr Duration longest_time_of_doubt = 60s;

/// Of the rate: less is not limited by it.
constexpr double used_part = 0.7;
/// What is added after a round without a queue, and how much more after each further one.
constexpr double shortest_step = 0.01;
constexpr double further_steps = 0.002;
constexpr double longest_step = 0.1;

constexpr double datagrams_of_memory = 250;  // datagrams
constexpr double most_own_loss = 0.15;

}  // namespace

bool Downlink::arrived(const Arrival& arrival, Instant now) {
  if (round_ && now - round_->last > std::max(arrival.round_trip, least_pause)) {
    if (now - round_->last > time_to_forget) rate_.reset();
    round_.reset();
    begin_burst();
  }
  if (!round_) {
    round_ = Round{.begun = now, .first_peer = arrival.peer};
  } else {
    round_->bytes += static_cast<double>(arrival.bytes);
  }
  round_->last = now;
  round_->several = round_->several || arrival.peer != round_->first_peer;
  if (arrival.seen == nullptr) return false;
  ++round_->samples;
  round_->queue = std::min(round_->queue, arrival.seen->queue);
  round_->datagrams += arrival.seen->datagrams;
  round_->arrived += arrival.seen->arrived;
  const Duration length = std::max(arrival.round_trip / 2, shortest_round);
  if (now - round_->begun < length) return false;
  const bool whole =
      round_->several && round_->samples >= least_round_samples && round_->datagrams >= least_round_datagrams;
  if (!whole && now - round_->begun > most_rounds_long * length)
    round_ = Round{.begun = now, .last = now, .first_peer = arrival.peer};
  return whole;
}

void Downlink::judge(const Arrival& last, const Context& context, Instant now) {
  const Round round = std::exchange(*round_, Round{.begun = now, .last = now, .first_peer = last.peer});
  const double round_trip = seconds(last.round_trip);
  const double arriving = round.bytes / seconds(now - round.begun);
  const double queue = seconds(round.queue);
  const double tolerated = std::max({least_standing, standing_of_round_trip * round_trip,
                                     2 * static_cast<double>(context.datagram_bytes) / arriving});
  const bool stands = queue > tolerated;
  const auto datagrams = static_cast<double>(round.datagrams);
  const double loss = 1 - static_cast<double>(round.arrived) / datagrams;
  clear_ = !stands;
  begun_ = false;
  if (!own_loss_) own_loss_ = context.usual_loss;
  if (queue < tolerated / 2 || loss < *own_loss_)
    *own_loss_ +=
        (std::min(loss, most_own_loss) - *own_loss_) * datagrams / (datagrams + datagrams_of_memory);
  const double excess = stands ? (loss - *own_loss_) / (1 - *own_loss_) : 0;
  flooded_rounds_ = std::max(0, excess > flood ? flooded_rounds_ + rounds_to_forget : flooded_rounds_ - 1);
  drops_ = excess > drops;
  const double coming = arriving / (1 - *own_loss_);
  if (!rate_) {
    if (!context.may_begin || flooded_rounds_ <= rounds_to_forget || now - doubted_at_ < doubt_) return;
    rate_ = coming;
    begun_ = true;
    carried_.fill(0);
    begin_burst();
  }
  const bool used = coming >= used_part * *rate_;
  if (!stands && !used) return;
  carried_[next_carried_++ % remembered_rounds] = coming;
  if (stands) {
    empty_rounds_ = 0;
    if (in_vain(coming)) return doubt(now);
    const double drained = (queue - tolerated / 2) / (drain_in_round_trips * round_trip + queue);
    rate_ = carried() * std::max(most_drained, 1 - drained);
  } else {
    idle_rounds_ = 0;
    *rate_ *= 1 + std::min(longest_step, shortest_step + further_steps * empty_rounds_);
    empty_rounds_ = std::min(empty_rounds_ + 1, 100);
  }
  if (*rate_ >= context.most.value) rate_.reset();
}

double Downlink::carried() const {
  return std::ranges::max(carried_);
}

void Downlink::begin_burst() {
  empty_rounds_ = 0;
  idle_rounds_ = 0;
  if (rate_) rate_ = std::max(*rate_, carried());
}

bool Downlink::in_vain(double coming) {
  idle_rounds_ = !drops_ && coming < less_than_carried * carried() ? idle_rounds_ + 1 : 0;
  return idle_rounds_ >= rounds_in_vain;
}

void Downlink::doubt(Instant now) {
  rate_.reset();
  idle_rounds_ = 0;
  doubt_ = std::clamp(2 * doubt_, first_time_of_doubt, longest_time_of_doubt);
  doubted_at_ = now;
}

std::optional<BytesPerSecond> Downlink::rate(Instant now) const {
  if (!rate_ || (round_ && now - round_->last > time_to_forget)) return std::nullopt;
  return BytesPerSecond{*rate_};
}

}  // namespace lbsp::transport
