#include "lbsp/world.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "lbsp/coarray.hpp"
#include "lbsp/queue.hpp"
#include "tests/lbsp/idle_exchange.hpp"
#include "tests/lbsp/superstep/messages/quiet_lending.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp {
namespace {

using namespace std::chrono_literals;

class WorldOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(WorldOver);

TEST_P(WorldOver, tells_each_rank_who_it_is) {
  std::vector<int> seen(5);
  run_ranks(5, [&](World& world) {
    EXPECT_EQ(world.size(), 5);
    ++seen.at(static_cast<std::size_t>(world.rank()));
  });
  EXPECT_EQ(seen, std::vector<int>(5, 1));
}

TEST_P(WorldOver, counts_its_supersteps) {
  run_ranks(3, [](World& world) {
    for (std::uint64_t step = 0; step < 200; ++step) {
      EXPECT_EQ(world.superstep(), step);
      world.sync();
    }
    EXPECT_EQ(world.history().supersteps(), 200U);
  });
}

TEST_P(WorldOver, has_a_time_that_only_grows) {
  run_ranks(2, [](World& world) {
    const auto before = world.time();
    EXPECT_GE(before.count(), 0);
    std::this_thread::sleep_for(5ms);
    EXPECT_GE(world.time() - before, 5ms);
  });
}

/// Of the other of two ranks there is room for messages, which takes a while to get.
class SlowRoom final : public test::IdleExchange {
 public:
  Rank size() const noexcept override { return 2; }
  transport::Lending* lending() noexcept override { return &lending_; }

 private:
  class Lending final : public superstep::QuietLending {
    std::span<std::byte> room(Rank, std::size_t, std::size_t) override {
      std::this_thread::sleep_for(5ms);
      return {};
    }
  };
  Lending lending_;
};

TEST(World, has_a_time_that_begins_with_its_first_superstep) {
  SlowRoom exchange;
  const World world(exchange);
  EXPECT_GE(world.time(), 5ms) << "or its supersteps would take longer than it";
}

TEST_P(WorldOver, remembers_what_the_program_verified) {
  run_ranks(1, [](World& world) {
    EXPECT_FALSE(world.verified().has_value());
    world.set_verified(false);
    EXPECT_EQ(world.verified(), false);
    world.set_verified(true);
    EXPECT_EQ(world.verified(), true);
  });
}

TEST_P(WorldOver, keeps_the_last_value_of_what_the_program_notes) {
  run_ranks(1, [](World& world) {
    EXPECT_TRUE(world.notes().empty());
    world.note("solver", "sweeps", 3);
    world.note("solver", "sweeps", 4);
    EXPECT_EQ(world.notes(), (Notes{{"solver", {{"sweeps", 4}}}}));
  });
}

TEST_P(WorldOver, tells_computing_from_communicating) {
  run_ranks(2, [](World& world) {
    world.sync();  // begins the next superstep on both ranks at about the same time, however late one started
    if (world.rank() == 0) std::this_thread::sleep_for(200ms);
    world.sync();
    const auto& records = world.history().records();
    ASSERT_EQ(records.size(), 2U);
    if (world.rank() == 0) {
      EXPECT_GE(records[1].compute, 200ms);
    } else {
      EXPECT_GT(records[1].communicate, records[1].compute)
          << "waiting for a rank that computes is not computing";
    }
  });
}

TEST_P(WorldOver, measures_h_as_the_larger_of_sent_and_received) {
  run_ranks(3, [](World& world) {
    Coarray<std::byte> x(world, 1'000'000);
    world.sync();
    const std::vector<std::byte> values(300'000);
    if (world.rank() != 0) x.put(0, 0, values);
    x.put(world.rank(), 0, x.local());  // to oneself crosses no network
    world.sync();
    const auto h = world.history().records().back().h;
    const std::uint64_t expected = world.rank() == 0 ? 600'000 : 300'000;
    EXPECT_GE(h, expected);
    EXPECT_LT(h, expected + 1000);
  });
}

TEST_P(WorldOver, counts_the_bytes_of_gets_where_they_leave_and_where_they_come) {
  run_ranks(2, [](World& world) {
    Coarray<std::byte> x(world, 100'000);
    world.sync();
    if (world.rank() == 0) x.get(1, 0, 100'000);
    world.sync();
    const auto& record = world.history().records().back();
    EXPECT_GE(record.h, 100'000U);
    EXPECT_LT(record.h, 101'000U);
    EXPECT_GE(world.rank() == 0 ? record.traffic.payload_bytes_received : record.traffic.payload_bytes_sent,
              100'000U);
    EXPECT_LT(world.rank() == 1 ? record.traffic.payload_bytes_received : record.traffic.payload_bytes_sent,
              1000U);
  });
}

TEST_P(WorldOver, gets_the_same_result_whoever_is_late) {
  // Every rank is late in some superstep; what a superstep leaves behind must not depend on it.
  run_ranks(4, [](World& world) {
    Coarray<std::uint64_t> x(world, 4);
    Queue<std::uint64_t> queue(world);
    const auto mine = static_cast<std::size_t>(world.rank());
    std::uint64_t sum = 1;
    for (std::uint64_t step = 0; step < 100; ++step) {
      if (step % 4 == mine) std::this_thread::yield();
      for (Rank to = 0; to < world.size(); ++to) {
        x(to)[mine] = step * 31 + mine;
        x(to)[0] = mine;
        queue.send(to, step, sum);
      }
      const auto last = x.get((world.rank() + 1) % world.size(), 0);
      world.sync();
      EXPECT_EQ(x[0], 3U);
      EXPECT_EQ(last.value(), step == 0 ? 0U : 3U);
      std::uint64_t next = 0;
      for (const auto message : queue)
        next = next * 3 + message.values()[0];
      sum = next;
    }
    Queue<std::uint64_t> result(world);
    result.send(0, 0, sum);
    world.sync();
    for (const auto message : result)
      EXPECT_EQ(message.values()[0], sum);
  });
}

}  // namespace
}  // namespace lbsp
