#include "lbsp/superstep/recording/traced_superstep.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/lbsp/idle_exchange.hpp"

namespace lbsp::superstep {
namespace {

using namespace std::chrono_literals;
using Clock = TracedSuperstep::Clock;

/// One of four ranks, whose network is as the test says.
class TracedExchange final : public test::IdleExchange {
 public:
  Rank size() const noexcept override { return 4; }
  transport::NetworkMeasure network() const override {
    transport::NetworkMeasure measure;
    measure.loss = loss;
    return measure;
  }
  transport::Duration network_thread_time() override { return network_thread; }

  double loss = 0;
  transport::Duration network_thread{0};
};

constexpr Clock::time_point traced_start{1h};
/// When the processor's time is read anew.
constexpr auto to_next_look = trace::ProcessorTime::unread;

TEST(TracedSuperstep, is_none_without_a_trace) {
  TracedExchange exchange;
  TracedSuperstep traced(exchange);
  traced.add_bytes_to(1, 100);
  EXPECT_FALSE(traced.traces());
  EXPECT_FALSE(traced.is_due(traced_start + 1h));
}

TEST(TracedSuperstep, has_to_whom_its_bytes_went_and_the_next_one_has_not) {
  TracedExchange exchange;
  TracedSuperstep traced(exchange);
  traced.begin_trace(traced_start);
  EXPECT_FALSE(traced.is_due(traced_start));
  traced.add_bytes_to(3, 100);
  traced.add_bytes_to(1, 20);
  traced.add_bytes_to(3, 1);
  EXPECT_TRUE(traced.is_due(traced_start));
  const auto first = traced.end(traced_start, traced_start, 0s);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->to.size(), 2U);
  EXPECT_EQ(first->to[0].rank, 1);
  EXPECT_EQ(first->to[0].bytes, 20U);
  EXPECT_EQ(first->to[1].rank, 3);
  EXPECT_EQ(first->to[1].bytes, 101U);
  EXPECT_FALSE(traced.is_due(traced_start));
  EXPECT_FALSE(traced.end(traced_start, traced_start, 0s));
}

TEST(TracedSuperstep, counts_what_it_took_after_its_messages_had_come) {
  TracedExchange exchange;
  TracedSuperstep traced(exchange);
  traced.begin_trace(traced_start);
  traced.note_messages(traced_start + 300us);
  const auto figures = traced.end(traced_start + 100us, traced_start + 400us, 0s);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->after_messages, 100us);
  traced.add_bytes_to(1, 1);
  const auto next = traced.end(traced_start + 500us, traced_start + 600us, 0s);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->after_messages, 0us) << "those came in the superstep before";
}

TEST(TracedSuperstep, tells_of_the_network_when_it_is_time_to_look_and_it_has_changed) {
  TracedExchange exchange;
  TracedSuperstep traced(exchange);
  traced.begin_trace(traced_start);
  exchange.loss = 0.1;
  exchange.network_thread = 0s;
  EXPECT_FALSE(traced.is_due(traced_start + 1us)) << "it is too early";
  const auto late = traced_start + to_next_look;
  ASSERT_TRUE(traced.is_time_to_look(late));
  const auto figures = traced.end(late, late, 0s);
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->network.loss, 0.1);
  const auto later = late + to_next_look;
  EXPECT_FALSE(traced.end(later, later, 0s)) << "nothing has changed";
}

TEST(TracedSuperstep, has_the_time_of_the_networks_thread_that_is_in_none_yet) {
  TracedExchange exchange;
  exchange.network_thread = 5ms;
  TracedSuperstep traced(exchange);
  traced.begin_trace(traced_start);
  exchange.network_thread = 7ms;
  const auto late = traced_start + to_next_look;
  traced.look_before_sync(late, 0s, 0s);
  EXPECT_TRUE(traced.is_due(late + 1us));
  const auto figures = traced.end(late, late + 1us, 0s);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->network_thread, 2ms);
}

TEST(TracedSuperstep, at_the_jobs_end_has_no_bytes_that_no_sync_has_carried_out) {
  TracedExchange exchange;
  TracedSuperstep traced(exchange);
  traced.begin_trace(traced_start);
  traced.add_bytes_to(2, 9);
  exchange.loss = 0.2;
  const auto figures = traced.end_job(traced_start, traced_start + 1us);
  EXPECT_TRUE(figures.to.empty());
  EXPECT_DOUBLE_EQ(figures.network.loss, 0.2);
}

}  // namespace
}  // namespace lbsp::superstep
