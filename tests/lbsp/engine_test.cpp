#include "lbsp/superstep/engine.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lbsp::superstep
