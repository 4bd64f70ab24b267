#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <vector>

#include "lbsp/partition.hpp"
#include "lbsp/steps.hpp"
#include "tests/lbsp/good_end.hpp"
#include "tests/lbsp/lasting_worlds.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::lasting {

inline constexpr std::size_t cells = 24;
/// A rank's cells of all, by number.
using Part = std::map<std::uint64_t, std::uint64_t>;

inline std::uint64_t next_value(std::uint64_t left, std::uint64_t own, std::uint64_t right) {
  return transport::splitmix(left + 3 * own + 7 * right);
}

inline std::vector<std::uint64_t> undisturbed(std::uint64_t steps) {
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
inline void advance(World& world, const Queue<std::uint64_t>& queue, Part& part) {
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

/// A program that keeps its states: each rank has a part of a ring of cells.
struct LastingJob {
  std::uint64_t steps = 40;
  std::uint64_t every = 5;
  bool grows = false;
  std::size_t ballast = 1;  ///< bytes of each rank's state that are there to take time

  std::function<void(Slot, std::uint64_t)> each_step = {};  ///< is called as it begins

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
  std::uint64_t first = 0;       ///< the step that the last call of the program began with
  std::uint64_t foremost = 0;    ///< the last step that any rank has begun …
  std::uint64_t most_again = 0;  ///< … and the most that were done again after a change

  void run(World& world, Slot slot) {
    State state;
    const Range mine = part_of(cells, world.size(), world.rank());
    for (std::size_t cell = mine.begin; cell < mine.end(); ++cell)
      state.part[cell] = cell + 1;
    state.ballast.assign(ballast, static_cast<std::byte>(slot));
    const Queue<std::uint64_t> queue(world);
    Steps loop(world, state, steps, Keep{.every = every, .heir = {}, .grows = grows});
    first = loop.first();
    most_again = std::max(most_again, foremost - std::min(foremost, first));
    for (const auto& lost : loop.inherited())
      state.part.insert(lost.state.part.begin(), lost.state.part.end());
    if (loop.joined()) state.part.clear();
    if (grows && first > 0) share_out(world, state.part);
    for (const std::uint64_t step : loop) {
      foremost = std::max(foremost, step);
      if (each_step) each_step(slot, step);
      advance(world, queue, state.part);
    }
    results[slot] = state.part;
  }

  /// One superstep: each rank has the cells again that a world of this size begins with.
  static void share_out(World& world, Part& part) {
    const Queue<std::uint64_t> queue(world);
    for (Rank to = 0; to < world.size(); ++to) {
      const Range theirs = part_of(cells, world.size(), to);
      for (auto cell = part.lower_bound(theirs.begin); cell != part.lower_bound(theirs.end()); ++cell)
        queue.send(to, cell->first, cell->second);
    }
    world.sync();
    part.clear();
    for (const auto message : queue)
      part[message.tag()] = message.values()[0];
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

/// Whoever is lost, the others have the right answer. Returns the job as it was in the end.
inline LastingJob expect_survival(LastingJob job, const LastingWorlds::Plan& plan) {
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  expect_good_end(worlds, plan.size);
  job.expect_right(worlds, plan.size);
  return job;
}

}  // namespace lbsp::lasting
