#include "transport/core/rank_bound.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {

bool RankBound::judge(const QueueSample& sample, const QueueBound::Context& context, Instant now) {
  queues_.add(sample.peer, sample.sent_at, sample.queue);
  const Instant before =
      sample.data ? std::exchange(last_sent_at_, std::max(last_sent_at_, sample.sent_at)) : sample.sent_at;
  bool changed = false;
  if (sample.sent_at - before > bound_.pause()) {
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
