#include "transport/shared_memory/spin_budget.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport::shared_memory {
namespace {

TEST(SpinBudget, shrinks_to_nothing_while_it_is_in_vain_and_grows_again_when_it_is_not) {
  SpinBudget budget(true);
  EXPECT_EQ(budget.looks(), SpinBudget::most);
  for (int wait = 0; wait < 4; ++wait)
    budget.failed();
  EXPECT_EQ(budget.looks(), 0);
  budget.succeeded(SpinBudget::trial);
  EXPECT_EQ(budget.looks(), 2 * SpinBudget::trial);
  for (int wait = 0; wait < 10; ++wait)
    budget.succeeded(budget.looks());
  EXPECT_EQ(budget.looks(), SpinBudget::most);
}

TEST(SpinBudget, tries_it_now_and_then_where_there_are_too_few_processors) {
  SpinBudget budget(false);
  int trials = 0;
  for (int wait = 0; wait < 10 * SpinBudget::waits_between_trials; ++wait) {
    const int looks = budget.looks();
    EXPECT_TRUE(looks == 0 || looks == SpinBudget::trial);
    if (looks > 0) budget.failed();
    trials += looks > 0 ? 1 : 0;
  }
  EXPECT_EQ(trials, 10);
}

}  // namespace
}  // namespace lbsp::transport::shared_memory
