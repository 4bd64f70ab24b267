#include "transport/queues/bound/delay_jumps.hpp"

#include <algorithm>
#include <chrono>

#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

/// Delays that change by more, and by more than two datagrams take, from one datagram to the next, do so for other
/// reasons than a queue. Where short datagrams go between long ones, they change by the time of one and back; and of
/// ranks that send together, each meets the others' bursts now before its own datagrams, now behind them.
constexpr double least_jump = 0.6e-3;  // seconds
constexpr double datagrams_of_jump = 2;
/// So many rounds in a row, or one of so many times as much, are not chance.
constexpr int rounds_of_jumps = 3;
constexpr double far_too_much = 2;
/// Bursts of a TCP in the same queue make delays jump, too, by as much as goes between two or three datagrams of the
/// rank's own. What is longer than so many such jumps is a queue nevertheless, if all datagrams of a round meet nearly
/// as much of it.
constexpr double datagrams_between_bursts = 2;
constexpr double jumps_of_queue = 3;
constexpr double uneven_part = 0.25;
constexpr double least_uneven = 1e-3;  // seconds

/// If so small a part of what came through leaves a queue long, no rate makes it shorter.
constexpr double little = 0.5;
/// Queues that no jitter makes.
constexpr double long_queue = 20e-3;  // seconds
constexpr double round_trips_of_long_queue = 1.2;

/// Where a bound has shown that delays jump, there is none for so long, and twice as long each time.
constexpr Duration first_doubt = std::chrono::seconds{10};
constexpr Duration longest_doubt = std::chrono::seconds{60};

/// So many datagrams tell what is lost: in rounds of eight, a path that loses 10 % in runs often loses half.
constexpr double datagrams_of_loss = 48;

/// Delays vary that become longer at once by more than this, and by more than so many datagrams take, which others send
/// in between.
constexpr double clear_variation = 1e-3;  // seconds
constexpr double datagrams_of_variation = 4;

}  // namespace

bool DelayJumps::vary(const QueueSeen& seen, double datagram_bytes, double through) {
  const double datagram = datagram_bytes / std::max(seen.rate, through);
  return seen.variation >= std::max(clear_variation, datagrams_of_variation * datagram);
}

double DelayJumps::usual(const Context& context) {
  const double datagram = context.datagram_bytes / context.most;
  const double of_others = protocol::least_burst_datagrams * (context.senders - 1.0);
  return std::max(least_jump, (datagrams_of_jump + of_others) * datagram);
}

bool DelayJumps::in(const QueueSeen& seen, const Context& context) {
  if (seen.jump <= usual(context)) return false;
  if (context.varying) return true;
  if (context.bounded && of_bursts(seen, context)) return false;
  const double most_of_jitter = std::max(round_trips_of_long_queue * seconds(context.round_trip), long_queue);
  const bool in_vain = seen.rate < little * context.through;
  return seen.loss <= heavy_loss && (seen.queue <= most_of_jitter || in_vain);
}

bool DelayJumps::last(const QueueSeen& seen, const Context& context) {
  const bool jump = in(seen, context);
  rounds_ = jump ? rounds_ + 1 : 0;
  const bool by_chance = context.bounded && !context.varying && seen.jump <= far_too_much * usual(context);
  return jump && (!by_chance || rounds_ >= rounds_of_jumps);
}

/// Of others in the queue, not of a path on which even a rate that is very low makes nothing shorter.
bool DelayJumps::of_bursts(const QueueSeen& seen, const Context& context) {
  const double between = datagrams_between_bursts * context.datagram_bytes / seen.rate;
  const bool even = seen.longest - seen.queue < std::max(uneven_part * seen.queue, least_uneven);
  return seen.jump <= between && seen.queue > jumps_of_queue * seen.jump && even &&
         seen.rate >= very_little * context.through;
}

void DelayJumps::note_loss(const QueueSeen& seen) {
  lost_ += (seen.loss - lost_) * std::min(1.0, seen.datagrams / datagrams_of_loss);
}

void DelayJumps::begin_doubt(Instant now) {
  doubt_ = std::clamp(2 * doubt_, first_doubt, longest_doubt);
  doubted_at_ = now;
}

}  // namespace lbsp::transport
