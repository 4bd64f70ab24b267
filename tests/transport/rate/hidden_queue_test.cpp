#include "transport/rate/hidden_queue.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using Verdict = HiddenQueue::Verdict;

TEST(HiddenQueue, is_there_from_the_third_round_in_a_row_that_drops_much) {
  HiddenQueue queue;
  EXPECT_EQ(queue.judge(true, 0.5), Verdict::none);
  EXPECT_EQ(queue.judge(true, 0.5), Verdict::none);
  EXPECT_EQ(queue.judge(true, 0.5), Verdict::hidden);
  EXPECT_EQ(queue.judge(false, 0.1), Verdict::none);
  EXPECT_EQ(queue.judge(true, 0.5), Verdict::none) << "they are no longer in a row";
}

TEST(HiddenQueue, is_none_if_fifteen_rounds_lose_as_much) {
  HiddenQueue queue;
  for (int round = 1; round < 15; ++round)
    EXPECT_EQ(queue.judge(true, round % 2 == 0 ? 0.4 : 0.2), round < 3 ? Verdict::none : Verdict::hidden)
        << round;
  EXPECT_EQ(queue.judge(true, 0.3), Verdict::own);
  EXPECT_NEAR(queue.loss(), 0.3, 1e-9) << "the mean of what they lost";
  EXPECT_EQ(queue.judge(true, 0.3), Verdict::none) << "it begins anew";
}

}  // namespace
}  // namespace lbsp::transport
