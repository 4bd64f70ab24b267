#include "transport/membership/hearing.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

/// So many times the limit of silence, queues excuse no more.
constexpr int most_peer_timeouts = 3;

}  // namespace

Hearing::Hearing(const AgreementConfig& config, Instant now)
    : peer_timeout_(config.peer_timeout),
      silence_(config.self, config.members, now),
      notices_(config.notices),
      pauses_(config.peer_timeout, now) {
  notices_.set_times(config.round_trip, config.peer_timeout);
}

Duration Hearing::look(Instant now) {
  const Duration slept = pauses_.look(now);
  if (slept == Duration{0}) return slept;
  silence_.forgive(slept);
  notices_.forgive(slept);
  return slept;
}

void Hearing::heard(Slot from, Instant now) {
  silence_.heard(from, now);
  notices_.heard(from, now);
}

void Hearing::answers_take(Slot from, Duration round_trip) {
  notices_.answers_take(from, round_trip);
  const bool queued = round_trip > peer_timeout_ / 4;
  silence_.waits(from, queued ? std::min(round_trip, most_peer_timeouts * peer_timeout_) : Duration{0});
}

bool Hearing::misses(Slot slot, bool others_miss_it, Instant now) const {
  if (reads_still(now)) return false;
  const Duration limit = others_miss_it ? peer_timeout_ / 2 : peer_timeout_;
  return silence_.of(slot, now) >= limit || notices_.is_over(slot, now);
}

Instant Hearing::next_look(const MemberSet& of) const {
  const Instant heard = silence_.longest_ago(of);
  const Instant missed = heard == never ? never : heard + peer_timeout_;
  const Instant over = std::max(notices_.first_over(of), pauses_.all_read_at());
  return std::min({missed, over, pauses_.next_look()});
}

Duration Hearing::silence_of(const MemberSet& members, Instant now) const {
  Duration shortest{0};
  members.for_each([&](Slot slot) {
    const Duration silence = silence_.since_last_word(slot, now);
    shortest = shortest == Duration{0} ? silence : std::min(shortest, silence);
  });
  return shortest;
}

}  // namespace lbsp::transport
