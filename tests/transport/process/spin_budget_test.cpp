#include "transport/process/spin_budget.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

TEST(SpinBudget, shrinks_to_nothing_while_it_is_in_vain_and_grows_again_when_it_is_not) {
  SpinBudget budget(true, 2000);
  EXPECT_EQ(budget.looks(), 2000);
  for (int wait = 0; wait < 4; ++wait)
    budget.failed();
  EXPECT_EQ(budget.looks(), 0);
  budget.succeeded(SpinBudget::trial);
  EXPECT_EQ(budget.looks(), 2 * SpinBudget::trial);
  for (int wait = 0; wait < 10; ++wait)
    budget.succeeded(budget.looks());
  EXPECT_EQ(budget.looks(), 2000);
}

/// After how many waits the next trial comes.
int waits_until_a_trial(SpinBudget& budget) {
  for (int wait = 1;; ++wait) {
    if (const int looks = budget.looks(); looks > 0) {
      EXPECT_EQ(looks, SpinBudget::trial);
      return wait;
    }
  }
}

TEST(SpinBudget, tries_it_the_less_often_the_more_often_it_was_in_vain) {
  SpinBudget budget(false, 2000);
  for (int waits = SpinBudget::fewest_waits; waits < SpinBudget::most_waits; waits *= 2) {
    EXPECT_EQ(waits_until_a_trial(budget), waits);
    budget.failed();
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(waits_until_a_trial(budget), SpinBudget::most_waits);
    budget.failed();
  }
}

/// Two that wait for each other slept for good, as neither looked for as long as the other takes to wake up.
TEST(SpinBudget, tries_all_looks_where_there_is_a_processor_for_each) {
  SpinBudget budget(true, 2000);
  while (budget.looks() > 0)
    budget.failed();
  int waits = 1;
  int looks = budget.looks();
  for (; looks == 0; ++waits)
    looks = budget.looks();
  EXPECT_EQ(looks, 2000);
  EXPECT_LE(waits, SpinBudget::fewest_waits);
  budget.succeeded(looks);
  EXPECT_EQ(budget.looks(), 2000);
}

TEST(SpinBudget, tries_it_as_often_as_at_first_after_a_success) {
  SpinBudget budget(false, 2000);
  for (int i = 0; i < 3; ++i) {
    waits_until_a_trial(budget);
    budget.failed();
  }
  waits_until_a_trial(budget);
  budget.succeeded(SpinBudget::trial);
  while (budget.looks() > 0)
    budget.failed();
  EXPECT_EQ(waits_until_a_trial(budget), SpinBudget::fewest_waits - 1);
}

}  // namespace
}  // namespace lbsp::transport
