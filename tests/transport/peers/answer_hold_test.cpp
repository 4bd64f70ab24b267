#include "transport/peers/answer_hold.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

TEST(AnswerHold, is_not_known_before_the_first_report) {
  EXPECT_FALSE(AnswerHold().most());
}

TEST(AnswerHold, is_the_most_of_the_last_reports) {
  AnswerHold hold;
  hold.told(2ms);
  EXPECT_EQ(hold.most(), 2ms);
  hold.told(80ms);
  EXPECT_EQ(hold.most(), 80ms);
  hold.told(1ms);
  EXPECT_EQ(hold.most(), 70ms) << "of the report before, an eighth less";
}

TEST(AnswerHold, becomes_less_with_each_report_that_was_not_held) {
  AnswerHold hold;
  hold.told(80ms);
  for (int i = 0; i < 32; ++i)
    hold.told(1ms);
  EXPECT_LT(*hold.most(), 2ms);
}

}  // namespace
}  // namespace lbsp::transport
