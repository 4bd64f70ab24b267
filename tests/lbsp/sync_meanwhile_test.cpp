// World::sync_meanwhile(): what a program computes while a superstep's messages are on their way.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "lbsp/coarray.hpp"
#include "lbsp/queue.hpp"
#include "tests/support/run_ranks.hpp"
#include "transport/error.hpp"

namespace lbsp {
namespace {

using namespace std::chrono_literals;

class SyncMeanwhile : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(SyncMeanwhile);
class SyncMeanwhileFailure : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(SyncMeanwhileFailure);

TEST_P(SyncMeanwhile, does_the_work_once_and_before_anything_changes) {
  run_ranks(4, [](World& world) {
    Coarray<int> x(world, 1);
    world.sync();
    for (int step = 1; step <= 20; ++step) {
      x((world.rank() + 1) % world.size())[0] = step;
      int found = -1;
      int times = 0;
      world.sync_meanwhile([&] {
        ++times;
        found = x[0];
      });
      EXPECT_EQ(times, 1);
      EXPECT_EQ(found, step - 1);
      EXPECT_EQ(x[0], step);
    }
  });
}

TEST_P(SyncMeanwhile, ends_supersteps_with_gets_and_messages_and_beside_ranks_that_do_nothing_meanwhile) {
  run_ranks(3, [](World& world) {
    Coarray<int> x(world, 1);
    const Queue<int> queue(world);
    x[0] = 10 + world.rank();
    world.sync();
    for (int step = 0; step < 6; ++step) {
      const Rank next = (world.rank() + 1) % world.size();
      auto gotten = x(next)[0].get();
      queue.send(next, static_cast<std::uint64_t>(step), world.rank());
      if (world.rank() == step % 3)
        world.sync_meanwhile([] { std::this_thread::sleep_for(2ms); });
      else
        world.sync();
      EXPECT_EQ(gotten.values()[0], 10 + next);
      for (const auto message : queue)
        EXPECT_EQ(message.values()[0], (world.rank() + 2) % 3);
    }
    EXPECT_EQ(world.superstep(), 7U);
  });
}

TEST_P(SyncMeanwhile, counts_the_work_as_computing) {
  run_ranks(2, [](World& world) {
    for (int step = 0; step < 3; ++step)
      world.sync_meanwhile([] { std::this_thread::sleep_for(20ms); });
    EXPECT_GE(world.history().totals().compute, 60ms);
  });
}

TEST_P(SyncMeanwhileFailure, ends_the_job_with_what_the_work_throws) {
  const auto outcomes = run_failing_ranks(3, [](World& world) {
    world.sync();
    world.sync_meanwhile([&] {
      if (world.rank() == 1) throw std::runtime_error("nothing to compute");
    });
    world.sync();
  });
  EXPECT_EQ(test::text_of<std::runtime_error>(outcomes[1]), "nothing to compute");
  EXPECT_NE(test::text_of<Error>(outcomes[0]).find("nothing to compute"), std::string::npos);
  EXPECT_NE(test::text_of<Error>(outcomes[2]).find("nothing to compute"), std::string::npos);
}

TEST_P(SyncMeanwhileFailure, refuses_to_end_a_superstep_in_the_work) {
  const auto outcomes = run_failing_ranks(2, [](World& world) {
    world.sync();
    world.sync_meanwhile([&] {
      if (world.rank() == 0) world.sync();
    });
  });
  EXPECT_EQ(
      test::text_of<UsageError>(outcomes[0]),
      "rank 0 syncs in the work of sync_meanwhile, which ends superstep 1 itself: call sync() before or after it");
}

TEST_P(SyncMeanwhileFailure, refuses_what_the_work_transfers) {
  const auto outcomes = run_failing_ranks(2, [](World& world) {
    Coarray<int> x(world, 1000);
    world.sync();
    x(0)[0] = 1;
    world.sync_meanwhile([&] {
      if (world.rank() == 0)
        for (std::size_t i = 0; i < 1000; ++i)
          x(1)[i] = 2;
    });
  });
  EXPECT_EQ(test::text_of<UsageError>(outcomes[0]),
            "rank 0 registers or transfers something while superstep 1 ends: do so before or after "
            "sync_meanwhile(), not in its work");
}

}  // namespace
}  // namespace lbsp
