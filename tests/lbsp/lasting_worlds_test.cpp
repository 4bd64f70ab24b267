#include "tests/lbsp/lasting_worlds.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "lbsp/partition.hpp"
#include "lbsp/steps.hpp"
#include "tests/support/temporary_folder.hpp"

namespace lbsp::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t cells = 24;
/// A rank's cells of all, by number.
using Part = std::map<std::uint64_t, std::uint64_t>;

std::uint64_t next_value(std::uint64_t left, std::uint64_t own, std::uint64_t right) {
  return transport::splitmix(left + 3 * own + 7 * right);
}

std::vector<std::uint64_t> undisturbed(std::uint64_t steps) {
  std::vector<std::uint64_t> all(cells);
  std::iota(all.begin(), all.end(), std::uint64_t{1});
  for (; steps > 0; --steps) {
    const auto before = all;
    for (std::size_t i = 0; i < cells; ++i)
      all[i] = next_value(before[(i + cells - 1) % cells], before[i], before[(i + 1) % cells]);
  }
  return all;
}

/// One superstep: each cell's value from its neighbours', wherever those are.
void advance(World& world, const Queue<std::uint64_t>& queue, Part& part) {
  for (const auto& [cell, value] : part) {
    for (Rank to = 0; to < world.size(); ++to)
      queue.send(to, cell, value);
  }
  world.sync();
  std::vector<std::uint64_t> all(cells);
  for (const auto message : queue)
    all[message.tag()] = message.values()[0];
  for (auto& [cell, value] : part)
    value = next_value(all[(cell + cells - 1) % cells], all[cell], all[(cell + 1) % cells]);
}

struct Job {
  std::uint64_t steps = 40;
  std::uint64_t every = 5;
  std::size_t ballast = 1;  ///< bytes of each rank's state that are there to take time

  struct State {
    Part part;
    Bytes ballast;

    template <class All>
    void fields(All& all) {
      all(part, ballast);
    }
  };

  /// The parts of those that came to their end, by slot.
  std::map<Slot, Part> results = {};
  std::uint64_t first = 0;  ///< the step that the last call of the program began with

  void run(World& world, Slot slot) {
    State state;
    const Range mine = part_of(cells, world.size(), world.rank());
    for (std::size_t cell = mine.begin; cell < mine.end(); ++cell)
      state.part[cell] = cell + 1;
    state.ballast.assign(ballast, static_cast<std::byte>(slot));
    const Queue<std::uint64_t> queue(world);
    Steps loop(world, state, steps, Keep{.every = every});
    first = loop.first();
    for (const auto& lost : loop.inherited())
      state.part.insert(lost.state.part.begin(), lost.state.part.end());
    for ([[maybe_unused]] const std::uint64_t step : loop)
      advance(world, queue, state.part);
    results[slot] = state.part;
  }

  /// Together they have each cell once, with the value that it would have if nothing had happened. A rank that died
  /// when it had come to its end has its part too, unless the others have done that again.
  void expect_right(const LastingWorlds& worlds, Slot size) {
    Part all;
    std::size_t count = 0;
    std::size_t different = 0;
    for (const bool living : {true, false}) {
      for (Slot slot = 0; slot < size; ++slot) {
        if (worlds.finished(slot) != living) continue;
        all.insert(results[slot].begin(), results[slot].end());
        if (living) count += results[slot].size();
        if (living) different = all.size();
      }
    }
    EXPECT_EQ(count, different) << "a cell is in two parts";
    const auto expected = undisturbed(steps);
    for (std::size_t cell = 0; cell < cells; ++cell)
      EXPECT_EQ(all[cell], expected[cell]) << cell;
  }
};

Job expect_survival(Job job, const LastingWorlds::Plan& plan) {
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  for (Slot slot = 0; slot < plan.size; ++slot)
    EXPECT_TRUE(worlds.finished(slot) || worlds.died(slot)) << slot << ": " << worlds.error(slot);
  job.expect_right(worlds, plan.size);
  return job;
}

TEST(LastingWorlds, have_the_right_answer_if_nothing_happens) {
  expect_survival({}, {.size = 4, .loss = 0.1});
  expect_survival({}, {.size = 1});
}

TEST(LastingWorlds, have_it_whenever_a_rank_dies) {
  for (std::uint64_t death = 1; death < 400; death += 3) {
    SCOPED_TRACE(death);
    expect_survival({.every = 2}, {.size = 4, .loss = 0.05, .seed = death, .dies_after = {0, 0, death}});
  }
}

TEST(LastingWorlds, have_it_whenever_a_rank_dies_whose_state_is_large) {
  for (std::uint64_t death = 1; death < 3000; death += 151) {
    SCOPED_TRACE(death);
    expect_survival({.steps = 20, .ballast = 60'000},
                    {.size = 3, .loss = 0.05, .seed = death, .dies_after = {death}});
  }
}

TEST(LastingWorlds, have_it_whenever_two_die_that_they_were_to_survive) {
  std::mt19937_64 random(7);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto size = static_cast<Slot>(5 + random() % 4);
    LastingWorlds::Plan plan{.size = size, .survive = 2, .loss = 0.1, .seed = seed};
    plan.dies_after.resize(static_cast<std::size_t>(size));
    for (int death = 0; death < 2; ++death)
      plan.dies_after[random() % plan.dies_after.size()] = 1 + random() % 1500;
    expect_survival({.every = 1 + random() % 12}, plan);
  }
}

TEST(LastingWorlds, have_it_if_one_dies_after_the_other) {
  expect_survival({.steps = 300}, {.size = 6, .dies_after = {0, 400, 0, 1500, 0, 3000}});
}

TEST(LastingWorlds, keep_no_state_on_the_host_that_has_it) {
  // Both ranks of a host are lost at once.
  const LastingWorlds::Plan plan{
      .size = 6, .hosts = {0, 0, 1, 1, 2, 2}, .loss = 0.05, .dies_after = {0, 0, 300, 300}};
  expect_survival({}, plan);
}

class StatesOnDisk : public ::testing::Test {
 protected:
  /// A job that keeps its states in the folder, and ends when rank 0 has said so much.
  void end_job_after(const Job& like, LastingWorlds::Plan plan, std::uint64_t datagrams) const {
    Job job = like;
    plan.dies_after = {datagrams};
    plan.checkpoint = folder;
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
  }
  /// What rank `slot` of this job, which does not come to its end, says.
  static std::string error_of(const LastingWorlds::Plan& plan, Slot slot) {
    Job job;
    LastingWorlds worlds(plan, [&](World& world, Slot own) { job.run(world, own); });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
    return worlds.error(slot);
  }
  bool is_empty() const { return std::filesystem::is_empty(folder); }

  const test::TemporaryFolder files;
  const std::string folder = files.path();
};

TEST_F(StatesOnDisk, are_gone_on_from_whenever_the_job_has_ended) {
  std::uint64_t restarts = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      std::filesystem::remove(entry);
    const Job job{.every = 4};
    LastingWorlds::Plan plan{.size = 4, .loss = 0.05, .seed = seed, .outlives_ranks = false};
    end_job_after(job, plan, 11 * seed);
    if (is_empty()) continue;
    plan.restart = folder;
    end_job_after(job, plan, 7 * seed);
    plan.checkpoint = folder;
    plan.size = static_cast<Slot>(1 + seed % 4);
    EXPECT_GT(expect_survival(job, plan).first, 0U);
    ++restarts;
  }
  EXPECT_GT(restarts, 15U);
}

TEST_F(StatesOnDisk, are_gone_on_from_after_losses_and_before_others) {
  const Job job{.steps = 120};
  LastingWorlds::Plan plan{.size = 5, .loss = 0.05, .checkpoint = folder};
  {
    // Four go on, until too many are lost at once.
    Job first = job;
    plan.dies_after = {0, 200, 700, 700, 700};
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { first.run(world, slot); });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
    EXPECT_FALSE(worlds.finished(0));
  }
  plan.restart = folder;
  plan.size = 4;
  plan.dies_after = {0, 0, 1};  // before it has kept anything anew
  EXPECT_GT(expect_survival(job, plan).first, 0U);
}

TEST_F(StatesOnDisk, of_an_earlier_job_are_not_mixed_with_those_of_another) {
  end_job_after({}, {.size = 3, .outlives_ranks = false}, 300);
  ASSERT_FALSE(is_empty());
  EXPECT_NE(error_of({.size = 3, .outlives_ranks = false, .checkpoint = folder}, 1)
                .find("has states of an earlier job"),
            std::string::npos);
}

TEST_F(StatesOnDisk, of_fewer_ranks_are_refused) {
  end_job_after({}, {.size = 2, .outlives_ranks = false}, 200);
  EXPECT_NE(error_of({.size = 3, .outlives_ranks = false, .restart = folder}, 0)
                .find("are of 2 ranks, and these are 3: start 2 or fewer"),
            std::string::npos);
}

TEST_F(StatesOnDisk, that_are_not_there_are_not_begun_with) {
  EXPECT_NE(error_of({.size = 2, .outlives_ranks = false, .restart = folder}, 0)
                .find("has no states that all ranks can begin with"),
            std::string::npos);
}

TEST_F(StatesOnDisk, are_for_programs_that_keep_states) {
  const LastingWorlds::Plan plan{.size = 2, .outlives_ranks = false, .checkpoint = folder};
  for (const bool saves : {false, true}) {
    LastingWorlds worlds(plan, [&](World& world, Slot) {
      int state = 0;
      if (!saves) return world.sync();
      for ([[maybe_unused]] const std::uint64_t step : Steps(world, state, 3))
        world.sync();
    });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
    EXPECT_NE(worlds.error(0).find("--checkpoint and --restart are for programs that keep"),
              std::string::npos);
  }
}

TEST(LastingWorlds, end_with_one_reason_if_more_are_lost_than_they_were_to_survive) {
  Job job{.steps = 200};
  const LastingWorlds::Plan plan{.size = 6, .dies_after = {0, 0, 300, 300}};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  for (const Slot slot : {0, 1, 4, 5}) {
    EXPECT_FALSE(worlds.finished(slot));
    EXPECT_NE(
        worlds.error(slot).find("the state of rank 2 is lost: 4 of its pieces are left, and it takes 5"),
        std::string::npos)
        << worlds.error(slot);
  }
}

}  // namespace
}  // namespace lbsp::testing
