// Programs that can bring a new process from an older state to that of the others.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "lbsp/queue.hpp"
#include "lbsp/steps.hpp"
#include "tests/lbsp/asked_seeds.hpp"
#include "tests/lbsp/good_end.hpp"
#include "tests/lbsp/lasting_worlds.hpp"
#include "tests/support/temporary_folder.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::lasting {
namespace {

using namespace std::chrono_literals;

/// Each rank has numbers that it can tell again at any time, and makes its state of what all have told it, in order.
struct CatchingUp {
  struct State {
    std::uint64_t chain = 1;
    std::vector<std::uint64_t> ballast = std::vector<std::uint64_t>(500, 7);

    template <class All>
    void fields(All& all) {
      all(chain, ballast);
    }
  };
  struct Told {
    std::uint64_t step;
    std::uint64_t number;
  };

  std::uint64_t steps = 60;
  std::uint64_t every = 3;
  std::map<Slot, std::uint64_t> results = {};
  int from_the_beginning = 0;  ///< so many new processes were given nothing …
  int from_older = 0;          ///< … or an older state …
  int from_the_same = 0;       ///< … or one of that step

  static std::uint64_t number_of(Rank rank, std::uint64_t step) {
    return transport::splitmix(1000 * static_cast<std::uint64_t>(rank) + step);
  }
  static std::uint64_t joined(std::uint64_t chain, std::uint64_t number) {
    return transport::splitmix(chain + number);
  }
  static std::uint64_t expected(Slot size, std::uint64_t steps) {
    std::uint64_t chain = 1;
    for (std::uint64_t step = 0; step < steps; ++step)
      for (Rank rank = 0; rank < size; ++rank)
        chain = joined(chain, number_of(rank, step));
    return chain;
  }

  void run(World& world, Slot slot) {
    State state;
    const Queue<Told> queue(world);
    Steps loop(world, state, steps, Keep{.every = every, .catches_up = true});
    if (world.change() && loop.first() > 0) {
      EXPECT_LE(loop.own_step(), loop.first());
      if (world.change()->seated.end() != std::ranges::find(world.change()->seated, slot))
        ++(loop.own_step() == 0             ? from_the_beginning
           : loop.own_step() < loop.first() ? from_older
                                            : from_the_same);
      catch_up(world, queue, loop.own_step(), loop.first(), state);
    }
    for (const std::uint64_t step : loop) {
      for (Rank to = 0; to < world.size(); ++to)
        queue.send(to, 0, {step, number_of(world.rank(), step)});
      world.sync();
      for (const auto message : queue)
        state.chain = joined(state.chain, message.values()[0].number);
    }
    EXPECT_EQ(state.ballast, State().ballast);
    results[slot] = state.chain;
  }

  static void catch_up(World& world, const Queue<Told>& queue, std::uint64_t own, std::uint64_t end,
                       State& state) {
    for (Rank to = 0; to < world.size(); ++to)
      queue.send(to, 0, {own, 0});
    world.sync();
    std::vector<std::uint64_t> lacked;
    for (const auto message : queue)
      lacked.push_back(message.values()[0].step);
    for (Rank to = 0; to < world.size(); ++to)
      for (std::uint64_t step = lacked[static_cast<std::size_t>(to)]; step < end; ++step)
        queue.send(to, 0, {step, number_of(world.rank(), step)});
    world.sync();
    std::map<std::uint64_t, std::vector<std::uint64_t>> told;
    for (const auto message : queue)
      told[message.values()[0].step].push_back(message.values()[0].number);
    for (const auto& [step, numbers] : told)
      for (const std::uint64_t number : numbers)
        state.chain = joined(state.chain, number);
  }
};

/// All come to the end of an undisturbed run.
CatchingUp expect_end(CatchingUp job, LastingWorlds::Plan plan) {
  plan.respawn_after = 20ms;
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  expect_good_end(worlds, plan.size);
  for (Slot slot = 0; slot < plan.size; ++slot) {
    if (worlds.finished(slot)) {
      EXPECT_EQ(job.results[slot], CatchingUp::expected(plan.size, job.steps)) << slot;
    }
  }
  return job;
}

TEST(CatchingUp, brings_new_processes_to_where_the_others_are_whoever_dies_or_sleeps) {
  const auto [first, last] = test::asked_seeds(90);
  int from_the_beginning = 0;
  int from_older = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto size = static_cast<Slot>(5 + random() % 4);
    const double often_to_never[] = {1e-3, 0.3, 10, 1e9};
    LastingWorlds::Plan plan{.size = size,
                             .survive = 2,
                             .loss = 0.1,
                             .seed = seed,
                             .host_mtbf = often_to_never[seed % 4],
                             .clock_error = 1e-3};
    plan.dies_after.resize(static_cast<std::size_t>(size));
    plan.sleeps_after.resize(static_cast<std::size_t>(size));
    for (int loss = 0; loss < 2; ++loss) {
      auto& list = random() % 3 == 0 ? plan.sleeps_after : plan.dies_after;
      list[random() % list.size()] = 1 + random() % 900;
    }
    plan.dies_after.push_back(random() % 3 == 0 ? 1 + random() % 300 : 0);  // the first new process
    const CatchingUp ended = expect_end({.every = 2 + random() % 8}, plan);
    from_the_beginning += ended.from_the_beginning;
    from_older += ended.from_older;
  }
  EXPECT_GT(from_the_beginning, static_cast<int>(last - first) / 10);
  EXPECT_GT(from_older, static_cast<int>(last - first) / 10);
}

TEST(CatchingUp, sends_each_state_where_hosts_fail_all_the_time_and_none_where_they_never_do) {
  for (const bool often : {true, false}) {
    int from_the_beginning = 0;
    int from_others = 0;
    for (std::uint64_t death = 150; death < 400; death += 25) {
      SCOPED_TRACE(death);
      const CatchingUp ended = expect_end({}, {.size = 4,
                                               .loss = 0.05,
                                               .seed = death,
                                               .dies_after = {0, 0, death},
                                               .host_mtbf = often ? 1e-6 : 1e12});
      from_the_beginning += ended.from_the_beginning;
      from_others += ended.from_older + ended.from_the_same;
    }
    EXPECT_EQ(from_the_beginning > 3, !often) << from_the_beginning;
    EXPECT_EQ(from_others > 3, often) << from_others;
  }
}

/// Notes of an undisturbed job that plans how often it keeps states.
std::map<std::string, double> planned_by(double host_mtbf) {
  CatchingUp job{.steps = 400, .every = Keep::planned};
  Notes notes;
  LastingWorlds worlds({.size = 4, .host_mtbf = host_mtbf, .clock_error = 1e-3},
                       [&](World& world, Slot slot) {
                         job.run(world, slot);
                         if (slot == 0) notes = world.notes();
                       });
  EXPECT_TRUE(worlds.run(600s)) << "hangs";
  EXPECT_EQ(job.results[0], CatchingUp::expected(4, 400));
  return notes["states"];
}

TEST(CatchingUp, sends_states_no_more_often_where_it_is_planned_how_often_they_are_kept) {
  auto rarely = planned_by(1e12);
  EXPECT_EQ(rarely["elsewhere"], 0);
  EXPECT_GE(rarely["kept"], 3);
  EXPECT_LE(rarely["kept"], 7) << "before the steps 10, 30, 70, …";
  auto often = planned_by(0.1);
  EXPECT_GT(often["elsewhere"], 20);
  EXPECT_GT(often["kept"], 100) << "what is kept here only costs less";
}

TEST(CatchingUp, brings_new_processes_to_where_the_others_are_where_it_is_planned_how_often_states_are_kept) {
  const auto [first, last] = test::asked_seeds(40);
  int brought = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto size = static_cast<Slot>(3 + random() % 6);
    const double often_to_never[] = {1e-3, 0.3, 10, 1e9};
    LastingWorlds::Plan plan{
        .size = size, .loss = 0.1, .seed = seed, .host_mtbf = often_to_never[seed % 4], .clock_error = 1e-3};
    plan.dies_after.resize(static_cast<std::size_t>(size));
    plan.dies_after[random() % plan.dies_after.size()] = 1 + random() % 900;
    const CatchingUp ended = expect_end({.every = Keep::planned}, plan);
    brought += ended.from_the_beginning + ended.from_older;
  }
  EXPECT_GT(brought, static_cast<int>(last - first) / 10);
}

TEST(CatchingUp, has_no_part_in_states_that_only_disks_keep) {
  const test::TemporaryFolder folder;
  CatchingUp job{.steps = 30};
  Notes notes;
  const LastingWorlds::Plan plan{.size = 3, .outlives_ranks = false, .checkpoint = folder.path()};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) {
    job.run(world, slot);
    if (slot == 0) notes = world.notes();
  });
  EXPECT_TRUE(worlds.run(60s)) << "hangs";
  EXPECT_EQ(job.results[0], CatchingUp::expected(3, 30));
  EXPECT_GT(notes["states"]["kept"], 5);
  EXPECT_FALSE(notes["states"].contains("elsewhere"));
}

}  // namespace
}  // namespace lbsp::lasting
