#include "transport/queues/bound/rank_bound.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {

/// The sample tells of what was sent after a pause. The time in which others went is none, however many of them are
/// lost, and however far apart echoes are.
bool RankBound::after_pause(const QueueSample& sample, Duration round_trip) {
  if (!sample.data || sample.sent_at <= last_sent_at_) return false;
  const Duration gap = sample.sent_at - std::exchange(last_sent_at_, sample.sent_at);
  const auto sent = sample.bytes_after(std::exchange(bytes_so_far_, sample.bytes_so_far));
  return sent && gap > bound_.pause(round_trip) && !sample.goes_on(*sent, gap);
}

bool RankBound::judge(const QueueSample& sample, const QueueBound::Context& context, Instant now) {
  queues_.add(sample.peer, sample.sent_at, sample.queue);
  bool changed = false;
  if (after_pause(sample, context.round_trip)) {
    const auto burst = round_.burst(now);
    changed = burst && bound_.judge_burst(*burst, context);
    round_.begin(sample.sent_at);
  }
  auto seen = round_.add(sample, context.round_trip, now);
  if (!seen && context.told && !bound_.rate()) seen = round_.flood(context.round_trip, now);
  if (!seen || !(seen->several || context.alone || bound_.rate())) return changed;
  return bound_.judge(*seen, context) || changed;
}

}  // namespace lbsp::transport
