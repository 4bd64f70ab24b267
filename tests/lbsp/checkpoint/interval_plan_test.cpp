#include "lbsp/checkpoint/interval_plan.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace lbsp::checkpoint {
namespace {

std::uint64_t after(int plans, const SavingMeasure& measure, double between_failures) {
  std::uint64_t interval = first_interval;
  for (; plans > 0; --plans)
    interval = next_interval(interval, measure, between_failures);
  return interval;
}

TEST(IntervalPlan, comes_to_what_the_formula_says) {
  const auto interval = after(10, {.step = 0.1, .cost = 0.02}, 3600);
  EXPECT_NEAR(static_cast<double>(interval), std::sqrt(2 * 0.02 * 3600) / 0.1, 1);
}

TEST(IntervalPlan, changes_by_no_more_than_half_or_twice_at_once) {
  EXPECT_EQ(after(1, {.step = 1e-6, .cost = 10}, 1e6), 20U);
  EXPECT_EQ(after(3, {.step = 1e-6, .cost = 10}, 1e6), 80U);
  EXPECT_EQ(after(1, {.step = 100, .cost = 1e-6}, 100), 5U);
}

TEST(IntervalPlan, has_its_limits) {
  EXPECT_EQ(after(100, {.step = 100, .cost = 1e-6}, 100), 2U) << "a step without a state is left to measure";
  EXPECT_EQ(after(100, {.step = 1, .cost = 0}, 100), 2U) << "what costs nothing";
  EXPECT_EQ(after(200, {.step = 1e-300, .cost = 1e300}, 1e300), std::uint64_t{1} << 50);
}

TEST(IntervalPlan, stays_where_nothing_was_measured) {
  EXPECT_EQ(after(5, {}, 3600), first_interval);
  EXPECT_EQ(after(5, SavingMeter().measure(), 3600), first_interval);
}

TEST(IntervalPlan, forecasts_least_time_where_it_ends) {
  const SavingMeasure measure{.step = 0.1, .cost = 0.02};
  const auto best = after(10, measure, 3600);
  const double least = forecast_part(best, measure, 3600).value();
  EXPECT_NEAR(least, std::sqrt(2 * 0.02 / 3600), 1e-4);
  EXPECT_GT(forecast_part(best / 3, measure, 3600).value(), 1.3 * least);
  EXPECT_GT(forecast_part(3 * best, measure, 3600).value(), 1.3 * least);
  EXPECT_FALSE(forecast_part(10, {}, 3600));
  EXPECT_FALSE(forecast_part(std::uint64_t{1} << 50, measure, 1)) << "no end";
}

/// A state is saved in a step that takes so long, after one of two seconds.
void save(SavingMeter& meter, double work, double seconds) {
  meter.step_over(2, true);
  meter.saved();
  meter.worked(work);
  meter.step_over(seconds, true);
}

TEST(SavingMeter, knows_how_much_longer_the_steps_with_a_state_took) {
  SavingMeter meter;
  for (int state = 0; state < 5; ++state) {
    for (int step = 0; step < 4; ++step)
      meter.step_over(2, true);
    meter.saved();
    meter.worked(0.5);
    meter.step_over(5, false);
    meter.step_over(3, true);
  }
  EXPECT_DOUBLE_EQ(meter.measure().step, 2);
  EXPECT_DOUBLE_EQ(meter.measure().cost, 4);
  EXPECT_EQ(meter.states(), 5U);
}

TEST(SavingMeter, takes_no_notice_of_one_pause) {
  SavingMeter meter;
  for (int state = 0; state < 5; ++state) {
    for (int step = 0; step < 3; ++step)
      meter.step_over(state == 1 && step == 1 ? 1000 : 2, true);
    save(meter, 0, state == 2 ? 1000 : 3);
  }
  EXPECT_DOUBLE_EQ(meter.measure().step, 2);
  EXPECT_DOUBLE_EQ(meter.measure().cost, 1);
}

TEST(SavingMeter, takes_no_state_for_longer_where_every_fifth_step_is) {
  SavingMeter meter;
  for (int step = 0; step < 200; ++step) {
    if (step % 10 == 0 && step > 0) meter.saved();
    meter.step_over(step % 5 == 4 ? 3 : 2, step % 10 == 4);
  }
  EXPECT_EQ(meter.closed(), 19U);
  EXPECT_NEAR(meter.measure().step, 2.2, 0.05);
  EXPECT_NEAR(meter.measure().cost, 0, 0.2) << "of eleven seconds";
}

/// A state is under way until two supersteps are complete, so that none of these steps is ever without one.
TEST(SavingMeter, takes_no_state_for_longer_where_only_its_steps_have_supersteps) {
  SavingMeter meter;
  std::uint64_t supersteps = 0;
  std::uint64_t saved_after = 0;
  bool saving = false;
  for (int step = 0; step < 300; ++step) {
    if (step % 5 == 0 && step > 0 && !saving) {
      meter.saved();
      meter.thought(0.001);
      saving = true;
      saved_after = supersteps;
    }
    const bool exchanges = step % 3 == 2;
    supersteps += exchanges ? 3 : 0;
    const bool closed = saving && supersteps >= saved_after + 2;
    meter.step_over(exchanges ? 0.4 : 0.002, closed, exchanges ? 3 : 0);
    saving = saving && !closed;
  }
  EXPECT_GE(meter.closed(), 50U);
  EXPECT_NEAR(meter.measure().step, (0.4 + 2 * 0.002) / 3, 0.01);
  EXPECT_NEAR(meter.measure().cost, 0, 0.005);
  EXPECT_LT(*forecast_part(5, meter.measure(), 1e9), 0.01);
}

TEST(SavingMeter, takes_no_state_for_much_longer_than_its_bytes_where_each_is_saved_in_a_long_step) {
  SavingMeter meter;
  for (int step = 0; step < 200; ++step) {
    const bool is_long = step % 10 == 0;
    if (is_long && step > 0) {
      meter.saved();
      meter.worked(0.01);
      meter.thought(0.02);
    }
    if (step % 10 == 2) meter.waited(0.03);
    meter.step_over(is_long ? 3 : 1, step % 10 == 2);
  }
  EXPECT_EQ(meter.closed(), 19U);
  EXPECT_LE(meter.measure().cost, 0.01 + 0.03 + 4 * 0.02 + 1e-9)
      << "of two more seconds that are the program's";
}

TEST(SavingMeter, takes_the_work_where_the_steps_hide_it) {
  SavingMeter meter;
  save(meter, 0.25, 1);
  EXPECT_DOUBLE_EQ(meter.measure().cost, 0.25);
}

TEST(SavingMeter, takes_a_states_part_of_the_messages_where_every_second_step_has_one) {
  SavingMeter meter;
  meter.step_over(9, true);  // with the first messages of all
  for (int state = 0; state < 3; ++state) {
    meter.saved();
    meter.worked(0.5);
    meter.sent(2);
    meter.step_over(5, false);
    meter.step_over(3, true);
  }
  EXPECT_EQ(meter.states(), 3U);
  EXPECT_DOUBLE_EQ(meter.measure().cost, 2);
  EXPECT_DOUBLE_EQ(meter.measure().step, (9 + 3 * (5 + 3) - 3 * 2) / 7.0);
  EXPECT_EQ(meter.measure().steps_each, 2U);
}

TEST(SavingMeter, does_so_where_the_program_ends_before_all_are_known_to_have_it) {
  SavingMeter meter;
  meter.step_over(4, true);
  meter.saved();
  meter.sent(3);
  meter.step_over(6, false);
  EXPECT_EQ(meter.states(), 1U);
  EXPECT_DOUBLE_EQ(meter.measure().cost, 3);
  EXPECT_DOUBLE_EQ(meter.measure().step, 3.5);
  EXPECT_EQ(meter.measure().steps_each, 2U);
}

TEST(SavingMeter, compares_steps_as_soon_as_there_are_some_without_a_state) {
  SavingMeter meter;
  for (int state = 0; state < 3; ++state) {
    for (int step = 0; step < 9; ++step)
      meter.step_over(2, true);
    meter.saved();
    meter.sent(0.75);
    meter.step_over(3, true);
  }
  EXPECT_DOUBLE_EQ(meter.measure().step, 2);
  EXPECT_DOUBLE_EQ(meter.measure().cost, 1);
  EXPECT_EQ(meter.measure().steps_each, 0U);
}

TEST(SavingMeter, forgets_a_state_that_a_loss_broke_off) {
  SavingMeter meter;
  meter.step_over(2, true);
  meter.saved();
  meter.worked(7);
  meter.step_over(900, false);
  meter.break_off();
  EXPECT_DOUBLE_EQ(meter.measure().cost, 0);
  save(meter, 1, 4);
  EXPECT_DOUBLE_EQ(meter.measure().cost, 2);
}

}  // namespace
}  // namespace lbsp::checkpoint
