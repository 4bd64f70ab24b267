#include "transport/sizes/question_order.hpp"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace lbsp::transport {
namespace {

using Ordered = std::vector<std::pair<Rank, std::size_t>>;

TEST(QuestionOrder, is_one_peer_after_the_other_where_all_fit) {
  EXPECT_EQ(in_order_of_use({{1, {1200, 1200, 1472}}, {2, {548, 1472}}}, 5892),
            (Ordered{{1, 1200}, {1, 1200}, {1, 1472}, {2, 548}, {2, 1472}}));
}

TEST(QuestionOrder, begins_with_the_most_useful_to_each_where_few_fit) {
  EXPECT_EQ(in_order_of_use({{1, {1200, 1200, 1472}}, {2, {548, 1472, 9000}}}, 5000),
            (Ordered{{1, 1472}, {2, 1472}, {1, 1200}, {2, 548}, {1, 1200}, {2, 9000}}));
}

TEST(QuestionOrder, of_no_questions_is_empty) {
  EXPECT_EQ(in_order_of_use({}, 0), Ordered{});
}

}  // namespace
}  // namespace lbsp::transport
