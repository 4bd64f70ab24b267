#include "lbsp/job/member/held_exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/lbsp/idle_exchange.hpp"

namespace lbsp::job::member {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Waits for a hundred ranks, and keeps what it is told.
class AwaitingExchange final : public test::IdleExchange {
 public:
  explicit AwaitingExchange(std::vector<Rank>& departed) : departed_(departed) {}
  std::vector<Rank> awaited() override {
    std::vector<Rank> ranks(100);
    std::iota(ranks.begin(), ranks.end(), 1);
    return ranks;
  }
  void take_departures(const std::vector<Rank>& ranks) noexcept override { departed_ = ranks; }

 private:
  std::vector<Rank>& departed_;
};

TEST(HeldExchange, passes_on_what_is_said_of_others_while_it_is_held) {
  std::vector<Rank> departed;
  HeldExchange held(std::make_unique<AwaitingExchange>(departed));
  held.take_departures({3});
  EXPECT_THAT(departed, ElementsAre(3));
  held.let_go();
  held.take_departures({4});
  held.take_notice({});
  EXPECT_THAT(departed, ElementsAre(3));
}

TEST(HeldExchange, names_a_few_of_whom_it_awaits) {
  std::vector<Rank> departed;
  HeldExchange held(std::make_unique<AwaitingExchange>(departed));
  const auto awaited = held.awaited();
  ASSERT_EQ(awaited.size(), most_awaited_told);
  EXPECT_EQ(awaited.front(), 1);
  held.let_go();
  EXPECT_THAT(held.awaited(), IsEmpty());
}

/// The thread that tells progress asks, and may do so after the rank has let go of its exchange.
TEST(HeldExchange, leads_as_rank_0_until_the_rank_has_left) {
  HeldExchange held(std::make_unique<test::IdleExchange>());
  EXPECT_TRUE(held.leads());
  EXPECT_TRUE(held.network());
  held.let_go();
  EXPECT_FALSE(held.leads());
  EXPECT_FALSE(held.network());
}

}  // namespace
}  // namespace lbsp::job::member
