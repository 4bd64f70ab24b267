#include "transport/core/ecn_path.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queue_seen.hpp"
#include "transport/core/mark_answer.hpp"
#include "transport/core/mark_count.hpp"

/// Whether a path leaves ECN as it should, what is told of marks, and how a rate answers them.
namespace lbsp::transport {
namespace {

/// A report each millisecond.
class Reports {
 public:
  EcnPath path{true};
  void told(std::optional<MarkReport> marks, std::uint32_t arrived) {
    now_ += 1ms;
    path.told(marks, arrived, now_ - 40ms, now_);
  }
  std::uint32_t marked() {
    const auto marks = path.take(0ms, now_);
    return marks ? marks->marked : 0;
  }
  Instant now() const { return now_; }

 private:
  Instant now_ = start;
};

MarkReport of(unsigned marked) {
  return {static_cast<std::uint16_t>(marked % mark_report_window), false};
}

TEST(EcnPath, tells_how_many_more_were_marked) {
  Reports reports;
  reports.told(of(0), 10);
  reports.told(of(3), 20);
  reports.told(std::nullopt, 30);
  const auto marks = reports.path.take(0ms, reports.now());
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->marked, 3u);
  EXPECT_EQ(marks->arrived, 30u);
  EXPECT_FALSE(reports.path.take(0ms, reports.now()));
  reports.told(of(4), 40);
  EXPECT_FALSE(reports.path.take(5ms, reports.now())) << "other paths may still tell";
  EXPECT_EQ(reports.marked(), 1u);
}

TEST(EcnPath, counts_on_where_the_told_number_begins_anew) {
  Reports reports;
  for (unsigned thousands = 0; thousands <= 70; ++thousands)
    reports.told(of(1000 * thousands), 2000 * thousands + 1);
  EXPECT_EQ(reports.marked(), 70'000u);
}

TEST(EcnPath, a_report_that_others_have_overtaken_tells_nothing_new) {
  Reports reports;
  reports.told(of(5), 100);
  EXPECT_EQ(reports.marked(), 5u);
  reports.told(of(2), 60);
  reports.told(of(6), 110);
  EXPECT_EQ(reports.marked(), 1u);
}

TEST(EcnPath, that_clears_the_field_is_used_without) {
  Reports reports;
  reports.told(of(0), 10);
  EXPECT_TRUE(reports.path.capable());
  reports.told(MarkReport{4, true}, 20);
  EXPECT_FALSE(reports.path.capable());
  EXPECT_EQ(reports.marked(), 0u);
}

TEST(EcnPath, that_marks_all_for_four_seconds_is_used_without) {
  Reports reports;
  for (unsigned arrived = 1; arrived <= 4000; ++arrived) {
    reports.told(of(arrived), arrived);
    ASSERT_TRUE(reports.path.capable()) << "others may have filled a queue";
  }
  reports.told(of(4001), 4001);
  EXPECT_FALSE(reports.path.capable());
  EXPECT_EQ(reports.marked(), 0u);
}

/// As they must where others have filled a queue: who has not seen the path without it sees it by marks alone.
TEST(EcnPath, that_marks_all_at_first_counts_from_the_first_on) {
  Reports reports;
  reports.told(of(100), 100);
  EXPECT_EQ(reports.marked(), 100u);
  reports.told(of(100), 110);
  for (unsigned i = 1; i < 5000; ++i)
    reports.told(of(100 + i), 110 + i);
  EXPECT_TRUE(reports.path.capable());
}

TEST(EcnPath, whose_peer_cannot_tell_is_used_without) {
  Reports reports;
  for (unsigned i = 1; i < 16; ++i)
    reports.told(std::nullopt, i);
  EXPECT_TRUE(reports.path.capable()) << "the first reports that told something may have been lost";
  reports.told(std::nullopt, 16);
  EXPECT_FALSE(reports.path.capable());
}

TEST(EcnPath, of_a_rank_that_does_not_answer_marks_is_used_without) {
  EXPECT_FALSE(EcnPath(false).capable());
}

TEST(MarkCount, is_told_in_some_reports_whenever_it_has_changed) {
  const auto reports = [](MarkCount& count) {
    int told = 0;
    while (count.next())
      ++told;
    return told;
  };
  MarkCount count;
  EXPECT_EQ(reports(count), 0);
  count.enter(Ecn::unknown);
  EXPECT_EQ(reports(count), 0) << "the host does not tell";
  count.enter(Ecn::capable);
  EXPECT_EQ(count.next(), (MarkReport{0, false})) << "that nothing was cleared is news";
  EXPECT_EQ(reports(count), MarkCount::reports_of_news - 1);
  count.enter(Ecn::capable);
  EXPECT_EQ(reports(count), 0);
  count.enter(Ecn::marked);
  EXPECT_EQ(count.next(), (MarkReport{1, false}));
  count.enter(Ecn::none);
  EXPECT_EQ(count.next(), (MarkReport{1, true}));
  EXPECT_EQ(reports(count), MarkCount::reports_of_news - 1);
  count.enter(Ecn::none);
  EXPECT_EQ(reports(count), 0) << "where the path clears all, once is enough";
}

QueueSeen marked(double part, double queue = 0, double rate = 50) {
  QueueSeen result = seen(queue, 0, 0.05, rate);
  result.marked = part;
  return result;
}

TEST(MarkAnswer, a_bound_begins_with_marks_where_no_queue_is_seen) {
  QueueBound bound;
  EXPECT_TRUE(bound.judge(marked(0.02), context()));
  EXPECT_NEAR(megabits(bound), 0.85 * 50, 1e-9);
  QueueBound::Context told = context();
  told.told = true;
  QueueBound of_told;
  EXPECT_TRUE(of_told.judge(marked(0.02), told));
}

TEST(MarkAnswer, delays_that_jump_do_not_matter_to_marks) {
  QueueBound bound;
  QueueSeen jumping = marked(0.5, 10e-3);
  jumping.jump = 5e-3;
  EXPECT_TRUE(bound.judge(jumping, context()));
  EXPECT_NEAR(megabits(bound), 0.85 * 50, 1e-9);
  jumping.marked = 0;
  jumping.rate = megabits_per_second(42.5).value;
  bound.judge(jumping, context());
  EXPECT_GT(megabits(bound), 42.5) << "what looks like a queue is none, and the bound stays";
  EXPECT_LT(megabits(bound), 50);
}

/// At 50 Mbit/s and 40 ms, 178 datagrams are on the way: Cubic is there again after 4.1 s, Reno after 4.4.
TEST(MarkAnswer, the_rate_is_what_it_was_when_that_of_a_cubic_would_be_and_then_rises_faster) {
  QueueBound bound;
  QueueSeen round = marked(0.1);
  bound.judge(round, context());
  const auto quiet = [&](Duration time) {
    for (const Instant end = round.later_at + time; round.later_at < end;) {
      const Instant next = round.later_at + 70ms;
      round = marked(0, 0, megabits(bound));
      round.later_at = next;
      bound.judge(round, context());
    }
    return megabits(bound);
  };
  const double at_once = megabits(bound);
  EXPECT_LT(quiet(70ms), at_once + 1);
  const double after_two = quiet(2s);
  EXPECT_GT(after_two, 45);
  EXPECT_LT(after_two, 48);
  const double after_six = quiet(4s);
  EXPECT_GT(after_six, 50);
  EXPECT_LT(after_six, 55);
  EXPECT_GT(quiet(4s), 65) << "nobody else is there any more";
}

TEST(MarkAnswer, who_did_not_get_as_far_as_before_leaves_room) {
  const auto after = [](double first, double second) {
    MarkAnswer marks;
    QueueSeen of_round = marked(0.1);
    marks.judge(of_round, BytesPerSecond{1e6}, 1e6, 3e-3);
    marks.fallen(first);
    marks.fallen(second);
    const MarkAnswer::Path path{40ms, 1400};
    marks.risen(second, path, Instant{1s});
    return *marks.risen(second, path, Instant{5s});
  };
  EXPECT_LT(after(7e6, 6e6), after(5e6, 6e6));
}

TEST(MarkAnswer, marks_that_stay_however_little_is_sent_do_not_count) {
  QueueBound bound;
  QueueSeen round = marked(1);
  double rate = 50;
  for (int i = 0; i < 20 && (i == 0 || bound.rate()); ++i) {
    round.rate = megabits_per_second(rate).value;
    round.later_at += 80ms;
    bound.judge(round, context());
    rate = bound.rate() ? megabits(bound) : 50;
  }
  EXPECT_FALSE(bound.rate());
  round.later_at += 9s;
  EXPECT_FALSE(bound.judge(round, context()));
  round.later_at += 2s;
  EXPECT_TRUE(bound.judge(round, context())) << "the path may have changed";
}

TEST(MarkAnswer, marks_of_a_queue_that_is_seen_count_however_little_is_sent) {
  QueueBound bound;
  QueueSeen round = marked(1, 100e-3);
  bound.judge(round, context());
  for (int i = 0; i < 20; ++i) {
    round.rate = bound.rate()->value;
    ASSERT_TRUE(bound.rate());
    bound.judge(round, context());
  }
  EXPECT_LT(megabits(bound), 5);
}

}  // namespace
}  // namespace lbsp::transport
