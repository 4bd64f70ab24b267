#include "lbsp/superstep/engine.hpp"

#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "tests/support/run_ranks.hpp"

namespace lbsp::superstep {
namespace {

class EngineOver : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(EngineOver);

TEST_P(EngineOver, releases_at_the_sync_what_is_absent_on_every_rank) {
  GetParam().run(2, [](transport::Exchange& exchange) {
    Engine engine(exchange);
    SlotSpec absent;
    absent.absent = true;
    const SlotNumber first = engine.slots().add(absent);
    const SlotNumber second = engine.slots().add(absent);
    engine.sync();
    engine.slots().release_absent();
    engine.sync();
    EXPECT_NE(engine.slots().find(first), nullptr);
    EXPECT_EQ(engine.slots().find(second), nullptr);
    EXPECT_EQ(engine.slots().add(absent), second);
    engine.sync();
    EXPECT_TRUE(engine.slots().log().empty());
    engine.end();
  });
}

/// Which ranks transfer something in a superstep, and how: bits of a number.
void transfer(Engine& engine, SlotNumber memory, SlotNumber queue, std::span<std::byte> got,
              std::uint64_t step) {
  const auto value = static_cast<std::byte>(step % 251);
  const auto rank = static_cast<std::uint64_t>(engine.rank());
  const Rank next = (engine.rank() + 1) % engine.size();
  if ((step >> rank) % 2 == 0) return;
  switch ((step + rank) % 4) {
    case 0:
      return engine.transfers().put({memory, next, 0, 1}, {&value, 1});
    case 1:
      return engine.transfers().put({memory, engine.rank(), 1, 1}, {&value, 1});
    case 2:
      return engine.transfers().send(queue, next, {}, {&value, 1});
    default:
      return engine.transfers().get({memory, next, 2, 1}, got, nullptr);
  }
}

TEST_P(EngineOver, mixes_supersteps_and_ranks_that_transfer_with_those_that_do_not) {
  GetParam().run(3, [](transport::Exchange& exchange) {
    Engine engine(exchange);
    std::vector<std::byte> memory(3, std::byte{255});
    memory[2] = static_cast<std::byte>(engine.rank());
    std::vector<std::byte> expected = memory;
    std::byte got{};
    SlotSpec spec;
    spec.memory = memory;
    const SlotNumber area = engine.slots().add(spec);
    const SlotNumber queue = engine.slots().add({.kind = SlotKind::queue, .memory = {}});
    engine.sync();
    const Rank previous = (engine.rank() + 2) % 3;
    for (std::uint64_t step = engine.superstep(); step < 100; step = engine.superstep()) {
      got = std::byte{255};
      transfer(engine, area, queue, {&got, 1}, step);
      engine.sync();
      const auto acts = [step](Rank rank, std::uint64_t what) {
        const auto number = static_cast<std::uint64_t>(rank);
        return (step >> number) % 2 == 1 && (step + number) % 4 == what;
      };
      if (acts(previous, 0)) expected[0] = static_cast<std::byte>(step % 251);
      if (acts(engine.rank(), 1)) expected[1] = static_cast<std::byte>(step % 251);
      ASSERT_EQ(memory, expected) << "in superstep " << step;
      ASSERT_EQ(engine.slots()[queue].received.size(), acts(previous, 2) ? 1U : 0U);
      const auto next = static_cast<std::byte>((engine.rank() + 1) % 3);
      ASSERT_EQ(got, acts(engine.rank(), 3) ? next : std::byte{255});
      if (acts(previous, 2)) {
        EXPECT_EQ(engine.slots()[queue].received[0].values[0], static_cast<std::byte>(step % 251));
      }
    }
    engine.end();
    EXPECT_EQ(engine.recorder().history().supersteps(), 100U);
  });
}

}  // namespace
}  // namespace lbsp::superstep
