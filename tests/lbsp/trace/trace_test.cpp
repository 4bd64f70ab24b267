#include <gtest/gtest.h>

#include "lbsp/coarray.hpp"
#include "lbsp/superstep/recording/recorder.hpp"
#include "lbsp/trace/figures.hpp"
#include "lbsp/trace/history.hpp"
#include "lbsp/trace/processor_time.hpp"
#include "tests/lbsp/idle_exchange.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp::trace {
namespace {

using namespace std::chrono_literals;
using Clock = ProcessorTime::Clock;

/// A thread that calls the library, with its time line: the wall clock, and the processor's, which is read as rarely as
/// the Recorder has it.
class Line {
 public:
  explicit Line(Clock::time_point begin = {})
      : now_(begin), left_at_(begin), time_(begin_reads(begin), read) {}

  void run(transport::Duration time) {
    now_ += time;
    processor += time;
  }
  /// Without the processor, which others have.
  void pause(transport::Duration time) { now_ += time; }

  transport::Duration enter() {
    const transport::Duration stretch = now_ - left_at_;
    outside_ += stretch;
    return now_ < time_.next_read() ? transport::Duration{0} : time_.enter(now_, stretch, outside_);
  }
  void leave() {
    left_at_ = now_;
    if (now_ >= time_.next_read()) time_.leave(now_, outside_);
  }

  static int reads;

 private:
  static Clock::time_point begin_reads(Clock::time_point begin) {
    processor = 0ns;
    reads = 0;
    return begin;
  }
  static transport::Duration read() {
    ++reads;
    return processor;
  }

  static transport::Duration processor;
  Clock::time_point now_;
  Clock::time_point left_at_;
  transport::Duration outside_{0};
  ProcessorTime time_;
};
transport::Duration Line::processor{0};
int Line::reads = 0;

TEST(ProcessorTime, tells_what_others_had_between_the_calls_and_not_in_them) {
  Line line;
  line.run(3ms);
  line.pause(5ms);
  line.run(4ms);
  EXPECT_EQ(line.enter(), 5ms);
  line.run(2ms);
  line.pause(1ms);
  line.leave();
  line.run(10ms);
  EXPECT_EQ(line.enter(), 0ms);
  line.pause(10ms);
  line.leave();
  line.pause(7ms);
  EXPECT_EQ(line.enter(), 7ms);
}

TEST(ProcessorTime, does_not_read_the_clock_for_stretches_that_are_short) {
  Line line;
  for (int i = 0; i < 1000; ++i) {
    line.run(1us);
    EXPECT_EQ(line.enter(), 0us);
    line.run(2us);
    line.leave();
  }
  EXPECT_LE(Line::reads, 1 + 3000 / ProcessorTime::unread.count());
}

TEST(ProcessorTime, is_read_by_all_ranks_of_a_host_at_once) {
  constexpr Clock::duration each = ProcessorTime::unread;
  for (const Clock::duration began : {Clock::duration{0}, Clock::duration{17us}, each - 1ns})
    EXPECT_EQ(ProcessorTime(Clock::time_point{20 * each + began}).next_read(), Clock::time_point{21 * each});
}

TEST(ProcessorTime, does_not_blame_the_program_for_sleep_in_a_call_and_errs_by_less_than_it_leaves_unread) {
  for (const auto began : {0us, 100us, 900us, 930us, 980us, 999us}) {
    Line line(Clock::time_point{began});
    line.run(10us);
    EXPECT_EQ(line.enter(), 0us);
    line.pause(20us);  // asleep in a call
    line.leave();
    line.run(60us);
    EXPECT_EQ(line.enter(), 0us);
    line.run(30us);  // a call that looks on and on
    line.leave();
    line.run(1ms);
    line.pause(2ms);
    line.run(1ms);
    const transport::Duration got = line.enter();
    EXPECT_LE(got, 2ms);
    EXPECT_GE(got, 2ms - ProcessorTime::unread);
  }
}

TEST(ProcessorTime, of_this_thread_grows_as_it_works) {
  const transport::Duration before = thread_processor_time();
  double sum = 0;
  while (thread_processor_time() - before < 1ms)
    sum += 1;
  EXPECT_GT(sum, 0);
}

TEST(TraceFigures, add_up_by_rank_and_keep_what_was_measured_last) {
  Figures sum{.without_processor = 3ms,
              .after_messages = 1ms,
              .network_thread = 20us,
              .network = {.loss = 0.1},
              .to = {{1, 10}, {4, 40}}};
  sum += {.without_processor = 4ms,
          .after_messages = 2ms,
          .network_thread = 30us,
          .network = {.loss = 0.2, .round_trip = 5ms},
          .to = {{0, 5}, {4, 2}, {7, 70}}};
  EXPECT_EQ(sum.without_processor, 7ms);
  EXPECT_EQ(sum.after_messages, 3ms);
  EXPECT_EQ(sum.network_thread, 50us);
  EXPECT_EQ(sum.network, (Network{.loss = 0.2, .round_trip = 5ms}));
  EXPECT_EQ(sum.to, (std::vector<BytesTo>{{0, 5}, {1, 10}, {4, 42}, {7, 70}}));
}

TEST(TraceFigures, are_joined_where_the_records_are_and_need_not_be_there) {
  for (const std::size_t most : {1U, 2U, 3U, 8U, 64U}) {
    History history(most);
    for (std::uint64_t step = 1; step <= 100; ++step) {
      // Every third superstep has nothing to trace.
      const std::uint64_t bytes = step % 3 == 0 ? 0 : step;
      SuperstepFigures figures;
      figures.h = bytes;
      history.add(figures);
      if (bytes > 0)
        history.trace_last({.without_processor = transport::Duration{bytes},
                            .network = {.loss = static_cast<double>(step)},
                            .to = {{static_cast<Rank>(step % 5), bytes}}});
      const auto traced = history.traced(0, history.records().size());
      for (std::size_t record = 0; record < traced.size(); ++record) {
        std::uint64_t sum = 0;
        for (const BytesTo& to : traced[record].to)
          sum += to.bytes;
        ASSERT_EQ(sum, history.records()[record].h);
        ASSERT_EQ(traced[record].without_processor.count(), history.records()[record].h);
      }
      ASSERT_EQ(traced.back().network.loss, static_cast<double>(step % 3 == 0 ? step - 1 : step));
    }
    const std::size_t records = history.records().size();
    EXPECT_EQ(history.traced(records / 2, records).back(), history.traced(0, records).back());
  }
}

/// What was traced of rank 0 of three, by superstep.
std::vector<Figures> traced(const std::function<void(World&)>& program) {
  std::vector<Figures> out;
  const auto thrown = test::outcomes(test::all_backends().front(), 3, [&](World& world) {
    world.trace();
    program(world);
    if (world.rank() == 0) out = world.history().traced(0, world.history().records().size());
  });
  for (const auto& outcome : thrown)
    EXPECT_EQ(test::text_of<std::exception>(outcome), "(no error)");
  return out;
}

std::uint64_t bytes_to(const Figures& figures, Rank rank) {
  std::uint64_t out = 0;
  for (const BytesTo& to : figures.to)
    if (to.rank == rank) out += to.bytes;
  return out;
}

TEST(TraceOfAWorld, has_the_bytes_to_each_rank_that_gets_any) {
  const auto steps = traced([](World& world) {
    Coarray<std::byte> x(world, 300'000);
    world.sync();
    const std::vector<std::byte> data(100'000);
    if (world.rank() == 0) x.put(1, 0, std::span(data).first(1000));
    if (world.rank() == 0) x.put(0, 0, std::span(data).first(5000));  // never leaves
    world.sync();
    world.sync();
    if (world.rank() == 0) x.put_unbuffered(2, 0, data);
    world.sync();
    std::vector<std::byte> got(200'000);
    if (world.rank() == 1) x.get(0, 0, got);
    world.sync();
  });
  ASSERT_EQ(steps.size(), 5U);
  const auto expect = [&](std::size_t step, Rank to, std::uint64_t bytes) {
    ASSERT_EQ(steps[step].to.size(), 1U) << step;
    EXPECT_GE(bytes_to(steps[step], to), bytes) << step;
    EXPECT_LE(bytes_to(steps[step], to), bytes + 200) << step;
  };
  expect(1, 1, 1000);
  EXPECT_TRUE(steps[2].to.empty());
  expect(3, 2, 100'000);
  expect(4, 1, 200'000);
}

/// A backend whose network thread has used so much of a processor.
class Busy final : public test::IdleExchange {
 public:
  transport::Duration network_thread_time() override {
    ++reads;
    return used;
  }
  transport::Duration used{3s};  // before a trace is kept
  int reads = 0;
};

TEST(TraceOfAWorld, has_the_network_threads_processor_time_in_the_superstep_that_sees_it) {
  Busy exchange;
  superstep::Recorder recorder(exchange);
  recorder.trace();
  const auto superstep = [&](transport::Duration computing, transport::Duration used) {
    const auto until = Clock::now() + computing;
    while (Clock::now() < until) {
    }
    exchange.used += used;
    recorder.begin_sync();
    recorder.end_superstep();
  };
  superstep(1ms, 40us);
  superstep(1ms, 0us);
  superstep(1ms, 70us);
  const std::vector<Figures> steps = recorder.history().traced(0, 3);
  EXPECT_EQ(steps[0].network_thread, 40us);
  EXPECT_EQ(steps[1].network_thread, 0us);
  EXPECT_EQ(steps[2].network_thread, 70us);
  // As rarely as the program's: thousands of short supersteps between two looks do not read it.
  const int reads = exchange.reads;
  const auto begin = Clock::now();
  for (int i = 0; i < 10'000; ++i)
    superstep(0us, 0us);
  EXPECT_LE(exchange.reads - reads, 2 + (Clock::now() - begin) / ProcessorTime::unread);
}

/// A backend of many ranks.
class Crowd final : public test::IdleExchange {
 public:
  explicit Crowd(Rank size) : size_(size) {}
  Rank size() const noexcept override { return size_; }

 private:
  Rank size_;
};

TEST(TraceOfAWorld, keeps_as_many_ranks_bytes_however_many_ranks_there_are) {
  for (const Rank size : {2, 11, 1024, 4096}) {
    Crowd exchange(size);
    superstep::Recorder recorder(exchange);
    recorder.trace();
    for (int i = 0; i < 3000; ++i) {
      recorder.begin_sync();
      recorder.end_superstep();
    }
    const std::size_t records = recorder.history().records().size();
    EXPECT_LE(records * static_cast<std::size_t>(size - 1), std::size_t{1} << 20) << size;
    EXPECT_EQ(records == 3000, size <= 11) << size;
  }
}

}  // namespace
}  // namespace lbsp::trace
