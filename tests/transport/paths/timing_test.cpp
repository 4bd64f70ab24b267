#include <gtest/gtest.h>

#include "transport/messages/delayed_queue.hpp"
#include "transport/messages/oldest_first_queue.hpp"
#include "transport/messages/send_queue.hpp"
#include "transport/paths/path_estimate.hpp"
#include "transport/paths/round_clock.hpp"
#include "transport/peers/deadline_heap.hpp"
#include "transport/rate/pacer.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

TEST(PathEstimate, the_first_sample_sets_all) {
  PathEstimate path;
  path.sent(0, Instant{});
  path.echoed({1, 0}, Instant{40ms});
  EXPECT_EQ(path.round_trip(), 40ms);
  EXPECT_EQ(path.probe_timeout(), 40ms + 4 * 20ms + path.acknowledgement_delay());
}

TEST(PathEstimate, follows_the_weights_of_rfc_9002) {
  PathEstimate path;
  path.sent(0, Instant{});
  path.echoed({1, 0}, Instant{40ms});
  path.sent(1, Instant{});
  path.echoed({2, 0}, Instant{80ms});
  EXPECT_EQ(path.round_trip(), 45ms);  // 7/8 · 40 + 1/8 · 80
}

TEST(PathEstimate, the_time_the_peer_held_the_datagram_is_not_the_path) {
  PathEstimate path;
  path.sent(0, Instant{});
  path.echoed({1, 30'000}, Instant{70ms});
  EXPECT_EQ(path.round_trip(), 40ms);
}

TEST(PathEstimate, knows_of_the_newest_echoed_datagram_what_had_been_sent_with_it) {
  PathEstimate path;
  path.sent(0, Instant{}, 3, 1400, 5000);
  path.sent(1, Instant{1ms}, 4, 200, 9000);
  path.sent(2, Instant{2ms}, 4, 1400, 9900);
  const auto datagram = path.echoed({2, 0}, Instant{40ms});
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->packet_number, 1u);
  EXPECT_EQ(datagram->at, Instant{1ms});
  EXPECT_EQ(datagram->train, 4u);
  EXPECT_EQ(datagram->bytes, 200u);
  EXPECT_EQ(datagram->bytes_so_far, 1600u);
  EXPECT_EQ(datagram->bytes_to_all, 9000u);
}

TEST(PathEstimate, takes_a_sample_only_of_the_newest_number_and_only_once) {
  PathEstimate path;
  for (std::uint64_t i = 0; i < 10; ++i)
    path.sent(i, Instant{i * 1ms});
  path.echoed({10, 0}, Instant{50ms});
  EXPECT_EQ(path.round_trip(), 41ms);
  path.echoed({10, 0}, Instant{500ms});
  path.echoed({5, 0}, Instant{500ms});
  EXPECT_EQ(path.round_trip(), 41ms);
}

TEST(PathEstimate, is_known_after_four_samples_or_from_another_measurement) {
  PathEstimate path;
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(path.known()) << i << " samples";
    path.sent(i, Instant{i * 100ms});
    path.echoed({i + 1, 0}, Instant{i * 100ms + 40ms});
  }
  EXPECT_TRUE(path.known());
  PathEstimate told;
  told.assume(40ms, 2ms);
  EXPECT_TRUE(told.known());
}

TEST(PathEstimate, learns_nothing_from_an_echo_of_nothing_and_forgets_nothing_for_it) {
  PathEstimate path;
  path.sent(0, Instant{});
  EXPECT_FALSE(path.echoed({0, 0}, Instant{20ms}));
  EXPECT_TRUE(path.echoed({1, 0}, Instant{40ms}));
  EXPECT_EQ(path.round_trip(), 40ms);
}

TEST(PathEstimate, an_echo_of_a_datagram_that_is_not_remembered_is_no_sample) {
  PathEstimate path;
  path.sent(5, Instant{});
  EXPECT_FALSE(path.echoed({4, 0}, Instant{40ms}));
  EXPECT_FALSE(path.measured());
}

TEST(PathEstimate, the_least_round_trip_is_that_of_the_last_five_to_ten_seconds) {
  PathEstimate path;
  std::uint64_t packet = 0;
  const auto sample = [&](Instant sent, Duration round_trip) {
    path.sent(packet++, sent);
    path.echoed({packet, 0}, sent + round_trip);
  };
  EXPECT_EQ(path.least(), PathEstimate::initial_round_trip);
  sample(Instant{10s}, 60ms);
  sample(Instant{11s}, 40ms);
  sample(Instant{12s}, 50ms);
  EXPECT_EQ(path.least(), 40ms);
  sample(Instant{16s}, 70ms);
  EXPECT_EQ(path.least(), 40ms);
  sample(Instant{22s}, 80ms);
  EXPECT_EQ(path.least(), 70ms);
}

TEST(PathEstimate, what_has_no_echo_is_late_for_nine_eighths_of_the_newest_or_the_usual_round_trip) {
  PathEstimate path;
  path.sent(0, Instant{});
  path.echoed({1, 0}, Instant{80ms});
  EXPECT_EQ(path.loss_delay(), 90ms + 200us);
  path.sent(1, Instant{1s});
  path.echoed({2, 0}, Instant{1s + 160ms});
  EXPECT_EQ(path.loss_delay(), 180ms + 200us) << "the newest";
  path.sent(2, Instant{2s});
  path.echoed({3, 0}, Instant{2s + 10ms});
  EXPECT_EQ(path.loss_delay(), path.round_trip() * 9 / 8 + 200us) << "the usual";
}

TEST(Pacer, lets_no_more_go_than_the_rate_over_a_longer_time) {
  Pacer pacer({1e6}, 1000, Instant{});
  std::size_t bytes = 0;
  for (Instant now{}; now < Instant{1s}; now += 100us) {
    while (pacer.may_send(now)) {
      pacer.sent(1000);
      bytes += 1000;
    }
  }
  EXPECT_NEAR(static_cast<double>(bytes), 1e6, 6e3);
}

TEST(Pacer, names_the_time_of_the_next_datagram) {
  Pacer pacer({1e6}, 1000, Instant{});
  while (pacer.may_send(Instant{}))
    pacer.sent(1000);
  const Instant next = pacer.next_release();
  EXPECT_FALSE(pacer.may_send(next - 2ns));
  EXPECT_TRUE(pacer.may_send(next));
}

TEST(Pacer, a_change_of_the_rate_forgives_no_debt_and_allows_no_larger_burst) {
  Pacer pacer({1e6}, Pacer::Burst{1000}, Instant{});
  pacer.sent(11'000);
  EXPECT_EQ(pacer.next_release(), Instant{10ms + 1ns});
  pacer.set_rate({2e6}, Instant{});
  EXPECT_EQ(pacer.next_release(), Instant{5ms + 1ns});
  Pacer fast({1e8}, Pacer::Burst{1000}, Instant{});
  fast.set_rate({1e6}, Instant{});
  fast.sent(1001);
  EXPECT_FALSE(fast.may_send(Instant{}));
}

TEST(Pacer, a_late_timer_costs_nothing_while_datagrams_wait) {
  Pacer pacer({1e8}, 1000, Instant{});
  std::size_t bytes = 0;
  for (Instant now{}; now < Instant{1s}; now += 8ms) {
    while (pacer.may_send(now)) {
      pacer.sent(1000);
      bytes += 1000;
    }
  }
  EXPECT_NEAR(static_cast<double>(bytes), 1e8, 1.1e6);
}

TEST(Pacer, a_very_late_timer_earns_no_more_than_the_longest_lateness_that_is_made_up_for) {
  Pacer pacer({1e8}, 1000, Instant{});
  while (pacer.may_send(Instant{}))
    pacer.sent(1000);
  std::size_t burst = 0;
  while (pacer.may_send(Instant{10s})) {
    pacer.sent(1000);
    burst += 1000;
  }
  EXPECT_NEAR(static_cast<double>(burst), 1e8 * 0.01, 1000);  // ten milliseconds
}

TEST(Pacer, idle_time_earns_a_small_burst_only) {
  Pacer pacer({1e8}, 1000, Instant{});
  EXPECT_TRUE(pacer.may_send(Instant{}));
  pacer.sent(1000);
  std::size_t burst = 0;
  while (pacer.may_send(Instant{10s})) {
    pacer.sent(1000);
    burst += 1000;
  }
  EXPECT_EQ(burst, 50'000u);  // half a millisecond
}

/// Four full datagrams would fill the queue of a slow link for a tenth of a second.
TEST(Pacer, idle_time_earns_no_more_than_ten_milliseconds_at_a_low_rate) {
  for (const auto& [rate, bytes] : {std::pair{1e4, 500U}, {1.2e5, 1500U}, {3.1e5, 3500U}, {1e6, 4000U}}) {
    Pacer pacer({rate}, 1000, Instant{});
    std::size_t burst = 0;
    while (pacer.may_send(Instant{10s})) {
      pacer.sent(500);
      burst += 500;
    }
    EXPECT_EQ(burst, bytes) << rate;
  }
}

TEST(DelayedQueue, gives_entries_in_the_order_in_which_they_become_ready) {
  DelayedQueue<int> queue;
  queue.push(3, Instant{3ms});
  queue.push(2, Instant{2ms});
  queue.push(1);
  queue.push(4, Instant{3ms});
  EXPECT_EQ(queue.next_release(), Instant{2ms});
  queue.release(Instant{2ms});
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_FALSE(queue.ready());
  queue.release(Instant{5ms});
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_EQ(queue.pop(), 4);
  EXPECT_EQ(queue.next_release(), never);
}

TEST(OldestFirstQueue, gives_the_oldest_message_s_jobs_first_in_the_order_in_which_they_became_ready) {
  OldestFirstQueue<PassJob> queue;
  const MessageId old{7, Leg::messages};
  const MessageId later{8, Leg::messages};
  queue.push({1, later});
  queue.push({2, old});
  queue.push({3, later});
  queue.push({4, old}, Instant{2ms});
  queue.push({5, old});
  EXPECT_EQ(queue.pop().peer, 2);
  queue.release(Instant{2ms});
  for (const Rank expected : {5, 4, 1, 3})
    EXPECT_EQ(queue.pop().peer, expected);
  EXPECT_FALSE(queue.ready());
}

TEST(SendQueue, a_repair_goes_before_the_passes_of_its_message_and_after_those_of_older_ones) {
  SendQueue queue;
  queue.repairs.push({1, {8, Leg::messages}});
  EXPECT_TRUE(queue.repair_is_next());
  queue.passes.push({1, {8, Leg::messages}});
  EXPECT_TRUE(queue.repair_is_next());
  queue.passes.push({2, {7, Leg::replies}});
  EXPECT_FALSE(queue.repair_is_next());
}

TEST(DeadlineHeap, gives_each_peer_once_at_its_earliest_deadline) {
  DeadlineHeap heap(3);
  heap.schedule(1, Instant{5ms});
  heap.schedule(1, Instant{3ms});
  heap.schedule(1, Instant{9ms});
  heap.schedule(2, Instant{4ms});
  EXPECT_EQ(heap.next(), Instant{3ms});
  EXPECT_EQ(heap.pop_due(Instant{2ms}), std::nullopt);
  EXPECT_EQ(heap.pop_due(Instant{10ms}), 1);
  EXPECT_EQ(heap.pop_due(Instant{10ms}), 2);
  EXPECT_EQ(heap.pop_due(Instant{10ms}), std::nullopt);
  heap.schedule(1, Instant{20ms});
  EXPECT_EQ(heap.next(), Instant{20ms});
}

TEST(DeadlineHeap, what_an_earlier_deadline_replaced_wakes_nobody) {
  DeadlineHeap heap(3);
  heap.schedule(1, Instant{9ms});
  heap.schedule(1, Instant{5ms});
  heap.schedule(1, Instant{3ms});
  heap.schedule(2, Instant{7ms});
  EXPECT_EQ(heap.pop_due(Instant{3ms}), 1);
  EXPECT_EQ(heap.next(), Instant{7ms});
  EXPECT_EQ(heap.pop_due(Instant{7ms}), 2);
  EXPECT_EQ(heap.next(), never);
}

TEST(RoundClock, goes_in_equal_rounds_from_its_start) {
  RoundClock clock;
  EXPECT_EQ(clock.deadline(), never);
  clock.start(40ms, Instant{100ms});
  EXPECT_EQ(clock.number(), 1);
  EXPECT_EQ(clock.deadline(), Instant{140ms});
  clock.advance(Instant{141ms});
  EXPECT_EQ(clock.number(), 2);
  EXPECT_EQ(clock.deadline(), Instant{180ms}) << "a late timer does not shift the rounds";
  clock.start(40ms, Instant{200ms});
  EXPECT_EQ(clock.number(), 3)
      << "acknowledgements of the last leg's rounds must not be taken for this one's";
}

}  // namespace
}  // namespace lbsp::transport
