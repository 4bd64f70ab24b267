#include "transport/queues/bound/rank_bound.hpp"

#include <gtest/gtest.h>

#include "tests/transport/queues/queue_sample.hpp"

namespace lbsp::transport {
namespace {

QueueBound::Context path_of(Duration round_trip) {
  QueueBound::Context result = context();
  result.round_trip = round_trip;
  return result;
}

/// Where a rank sends to one peer, echoes come four times in a round trip: on long paths further apart than what counts
/// as a pause on short ones.
TEST(RankBound, begins_however_far_apart_echoes_are) {
  for (const Duration apart : {Duration{5ms}, Duration{25ms}, Duration{45ms}, Duration{120ms}}) {
    RankBound bound;
    Duration sent{0};
    while (sent < 1s && !bound.rate()) {
      sent += apart;
      bound.judge(sample_of_queue(sent, apart), path_of(100ms), start + sent + 190ms);
    }
    EXPECT_TRUE(bound.rate()) << seconds(apart);
  }
}

TEST(RankBound, takes_it_for_no_pause_that_another_rank_of_the_host_has_counted_what_it_sent_later) {
  constexpr Duration apart{120ms};
  RankBound bound;
  for (int i = 1; i <= 22 && !bound.rate(); ++i) {
    QueueSample sample = sample_of_queue(i * apart, apart);
    if (i % 2 == 1) sample.bytes_so_far += 2 * sample.bytes;
    bound.judge(sample, path_of(100ms), start + i * apart + 190ms);
  }
  EXPECT_TRUE(bound.rate());
}

/// What stands there may be of others: it was sent when this rank's own queue had left.
TEST(RankBound, does_not_begin_by_what_was_sent_after_pauses) {
  RankBound bound;
  for (int i = 1; i <= 40; ++i) {
    QueueSample sample = sample_of_queue(i * 80ms, 80ms);
    sample.bytes = 2 * datagram_bytes;
    sample.bytes_so_far = static_cast<std::uint64_t>(i) * sample.bytes;
    sample.datagrams = sample.arrived = 2;
    bound.judge(sample, path_of(100ms), sample.sent_at + 190ms);
  }
  EXPECT_FALSE(bound.rate());
}

}  // namespace
}  // namespace lbsp::transport
