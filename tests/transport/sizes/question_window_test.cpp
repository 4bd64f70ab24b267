#include "transport/sizes/question_window.hpp"

#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

/// How many bytes of questions may be on their way.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr BytesPerSecond fast = megabits_per_second(100);
constexpr std::uint64_t much_sent = 1'000'000'000;

QuestionWindow::Question question(std::size_t bytes, std::optional<Duration> round_trip = 40ms) {
  return {.to = 1, .bytes = bytes, .sent_at = start, .round_trip = round_trip};
}

TEST(QuestionWindow, of_a_told_rate_is_what_takes_20_ms_or_one_question) {
  QuestionWindow window(true);
  const auto slow = megabits_per_second(1);
  EXPECT_TRUE(window.fits(9000, slow, 0));
  window.sent(question(1472));
  EXPECT_TRUE(window.fits(1028, slow, 0));
  EXPECT_FALSE(window.fits(1029, slow, 0));
  window.answered(1, 1472, start + 1s);
  EXPECT_TRUE(window.fits(2500, slow, 0)) << "that an answer has waited does not matter";
}

TEST(QuestionWindow, of_a_rate_that_is_looked_for_begins_with_3600_bytes) {
  QuestionWindow window(false);
  EXPECT_TRUE(window.fits(3600, fast, much_sent));
  EXPECT_FALSE(window.fits(3601, fast, much_sent));
  EXPECT_FALSE(window.ever_fits(3601, fast));
  window.sent(question(1472));
  EXPECT_FALSE(window.fits(3000, fast, much_sent));
  window.forget([](const auto&) { return true; });
  EXPECT_TRUE(window.fits(3000, fast, much_sent));
}

TEST(QuestionWindow, grows_with_answers_that_have_not_waited_up_to_what_takes_20_ms) {
  QuestionWindow window(false);
  window.sent(question(1000));
  window.answered(1, 1000, start + 59ms);
  EXPECT_TRUE(window.fits(8000, fast, much_sent));
  EXPECT_FALSE(window.fits(8001, fast, much_sent));
  EXPECT_FALSE(window.fits(8000, megabits_per_second(2), much_sent));
  EXPECT_TRUE(window.fits(5000, megabits_per_second(2), much_sent));
  window.sent(question(1000));
  window.answered(1, 1000, start + 61ms);
  EXPECT_FALSE(window.fits(3601, fast, much_sent)) << "one has waited";
}

TEST(QuestionWindow, learns_nothing_where_no_round_trip_was_known_or_nobody_asked) {
  QuestionWindow window(false);
  window.sent(question(1000, std::nullopt));
  window.answered(1, 1000, start + 1ms);
  window.answered(2, 1000, start + 1ms);
  EXPECT_FALSE(window.ever_fits(3601, fast));
}

TEST(QuestionWindow, of_a_rate_that_is_looked_for_is_a_tenth_of_what_was_sent_beyond_the_first_bytes) {
  QuestionWindow window(false);
  for (int i = 0; i < 3; ++i)
    window.sent(question(1200));
  window.forget([](const auto&) { return true; });
  EXPECT_FALSE(window.fits(1200, fast, 11'990));
  EXPECT_TRUE(window.fits(1200, fast, 12'000));
}

}  // namespace
}  // namespace lbsp::transport
