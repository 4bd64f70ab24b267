#include "transport/paths/ecn_path.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"
#include "transport/paths/mark_count.hpp"
#include "transport/queues/bound/mark_answer.hpp"

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

TEST(EcnPath, lets_nothing_be_marked_any_more_where_none_of_the_first_datagrams_arrives) {
  EcnPath path{true};
  path.unanswered(100, 1900ms);
  path.unanswered(3, 10s);
  EXPECT_TRUE(path.capable());
  path.unanswered(6, 2s);
  EXPECT_FALSE(path.capable());
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

TEST(EcnPath, that_marks_all_from_the_first_on_is_used_without_and_its_marks_do_not_count) {
  Reports reports;
  for (unsigned arrived = 10; arrived <= 60; arrived += 10) {
    reports.told(of(arrived), arrived);
    EXPECT_TRUE(reports.path.capable());
  }
  reports.told(of(64), 64);
  EXPECT_FALSE(reports.path.capable());
  EXPECT_EQ(reports.marked(), 0u);
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

TEST(MarkAnswer, the_rate_comes_back_to_a_little_less_than_was_marked_and_stays_for_some_rounds) {
  QueueBound bound;
  bound.judge(marked(0.1), context());
  for (int round = 0; round < 8; ++round) {
    const double before = megabits(bound);
    bound.judge(marked(0, 0, before), context());
    EXPECT_GE(megabits(bound), before);
    EXPECT_LE(megabits(bound), 0.97 * 50 + 1e-9);
  }
  EXPECT_GT(megabits(bound), 0.965 * 50);
  for (int round = 0; round < 4; ++round)
    bound.judge(marked(0, 0, megabits(bound)), context());
  EXPECT_GT(megabits(bound), 50);
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
