#include "lbsp/saving_plan.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>

#include "tests/lbsp/idle_exchange.hpp"

namespace lbsp {
namespace {

/// A program on one rank: each of its steps takes 10 ms, and one that saves a state so much longer.
struct SavingProgram {
  explicit SavingProgram(double seconds_of_saving) : seconds_of_saving(seconds_of_saving) {
    carried.begin_keeping(world.rank(), world.size());
  }

  /// One that saves a state if there have been as many since the last one as the plan says.
  void step() {
    plan.step_begins(due);
    const bool saves = since_state >= plan.interval();
    if (saves) {
      now += seconds_of_saving;
      plan.saved(1000, true);
      plan.tell();
      since_state = 0;
      ++states;
    }
    now += 10e-3;
    world.sync();
    plan.hear();
    due = true;
    ++since_state;
  }
  std::optional<double> noted(const char* name) const {
    const auto& groups = world.notes();
    const auto group = groups.find("states");
    if (group == groups.end() || !group->second.contains(name)) return std::nullopt;
    return group->second.at(name);
  }

  double seconds_of_saving;
  double now = 0;
  test::IdleExchange exchange;
  Carried carried{{.host_mtbf = std::chrono::duration<double>(20), .seconds = [this] { return now; }}};
  World world{exchange, carried};
  SavingPlan plan{world, carried};
  bool due = true;
  std::uint64_t since_state = 0;
  std::uint64_t states = 0;
};

TEST(SavingPlan, is_what_the_program_says) {
  SavingProgram program(1e-3);
  program.plan.keep_every(7, false);
  for (int step = 0; step < 50; ++step)
    program.step();
  EXPECT_EQ(program.plan.interval(), 7U);
  EXPECT_EQ(program.plan.interval_elsewhere(), 0U) << "each state is kept elsewhere";
  EXPECT_EQ(program.states, 7U);
  EXPECT_EQ(program.noted("interval"), 7);
  EXPECT_EQ(program.noted("step_seconds").has_value(), true);
}

TEST(SavingPlan, has_more_steps_from_one_state_to_the_next_where_states_take_longer) {
  const auto interval_after = [](double seconds_of_saving) {
    SavingProgram program(seconds_of_saving);
    program.plan.keep_every(std::nullopt, false);
    EXPECT_EQ(program.plan.interval(), checkpoint::first_interval) << "nothing is known yet";
    for (int step = 0; step < 2000; ++step)
      program.step();
    EXPECT_EQ(program.noted("interval"), static_cast<double>(program.plan.interval()));
    return program.plan.interval();
  };
  const std::uint64_t quick = interval_after(0.1e-3);
  const std::uint64_t slow = interval_after(50e-3);
  EXPECT_LT(quick, 10U);
  EXPECT_GT(slow, 5 * quick);
}

TEST(SavingPlan, is_heard_only_when_the_superstep_is_complete) {
  SavingProgram program(50e-3);
  program.plan.keep_every(std::nullopt, false);
  for (int step = 0; step < 20; ++step)
    program.step();
  const std::uint64_t before = program.plan.interval();
  program.plan.tell();
  EXPECT_EQ(program.plan.interval(), before);
  program.world.sync();
  program.plan.hear();
  EXPECT_GT(program.plan.interval(), before) << "at most twice as many";
  EXPECT_EQ(program.carried.keeping().interval, program.plan.interval()) << "the next world begins with it";
}

TEST(SavingPlan, notes_nothing_of_a_program_that_saves_nothing) {
  SavingProgram program(1e-3);
  program.plan.keep_every(1000, false);
  for (int step = 0; step < 50; ++step)
    program.step();
  EXPECT_FALSE(program.noted("kept"));
}

}  // namespace
}  // namespace lbsp
