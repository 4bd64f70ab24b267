#include "transport/paths/circuit_breaker.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Of what is sent. Random loss of 90 % is survived, so that both have to be well below a tenth.
constexpr double next_to_nothing = 0.03;
constexpr double enough_arrives = 0.05;

constexpr std::uint64_t least_sent_to_judge = 256;
/// At the slowest they take as many seconds as the slowest is datagrams.
constexpr std::uint64_t least_sent_slowly = 64;
constexpr std::uint64_t sent_lately = 64;
/// More than any path carries.
constexpr double no_limit_per_second = 1e5;

/// Parts of the patience. More is not counted between two echoes, so that an outage is not a long time in which little
/// arrives; …
constexpr int outages_in_patience = 2;
/// … and what came through lately is judged as often.
constexpr int judgements_in_patience = 8;

double part_that_arrived(const CircuitBreaker::Stretch& stretch) {
  return static_cast<double>(stretch.arrived) / static_cast<double>(std::max<std::uint64_t>(stretch.sent, 1));
}

}  // namespace

bool CircuitBreaker::told(std::uint64_t sent, std::uint32_t arrived, std::uint64_t next, Duration patience,
                          Instant now) {
  if (open_ || sent <= told_sent_) return false;
  const std::uint64_t before = std::exchange(told_sent_, sent);
  const std::uint32_t newly_arrived = arrived - std::exchange(told_arrived_, arrived);
  const Instant told_at = before == 0 ? now : told_at_;
  told_at_ = now;
  const Duration time = std::min(now - told_at, patience / outages_in_patience);
  if (before < first_) return false;
  for (Stretch* stretch : {&whole_, &part_, &lately_}) {
    stretch->sent += sent - before;
    stretch->arrived += newly_arrived;
    stretch->time += time;
  }
  if (lately_.sent >= sent_lately && lately_.time >= patience / judgements_in_patience) {
    if (part_that_arrived(std::exchange(lately_, {})) >= enough_arrives) return more_arrives();
  }
  if (part_.time < patience || part_.sent < (most_per_second_ ? least_sent_slowly : least_sent_to_judge))
    return false;
  if (part_that_arrived(part_) < next_to_nothing) return hardly_anything_arrives(next);
  part_ = {};
  return false;
}

bool CircuitBreaker::more_arrives() {
  whole_ = part_ = {};
  if (!most_per_second_) return false;
  *most_per_second_ *= 2;
  if (*most_per_second_ >= no_limit_per_second) most_per_second_.reset();
  return true;
}

bool CircuitBreaker::hardly_anything_arrives(std::uint64_t next) {
  first_ = next;
  part_ = lately_ = {};
  open_ = most_per_second_ == slowest_per_second;
  return std::exchange(most_per_second_, slowest_per_second) != slowest_per_second;
}

}  // namespace lbsp::transport
