#include "model/superstep/schedule.hpp"

#include <vector>

#include "gtest/gtest.h"

#include "tests/model/superstep/known_protocol.hpp"

namespace lbsp::model::superstep {
namespace {

TEST(Schedule, knows_what_is_planned_and_how_many_blocks_are_waited_for) {
  constexpr double alpha = 1e-4;
  const Superstep superstep{5, {.round_trip = 0.07, .loss = 0.1}, {{4, 300, alpha}, {3, 1, alpha}}};
  const std::vector<Protection> protection{{.repair_segments = 7, .coded = true}, {.copies = 2}};
  const Protocol protocol = known_protocol();
  BlockOutcomes outcomes(superstep.path, protocol.repairs);
  const Schedule schedule(superstep, protection, protocol, outcomes);
  EXPECT_NEAR(schedule.planned_seconds, (4 * (300 + 3 * 7) + 3 * 2) * alpha, 1e-12);
  EXPECT_NEAR(schedule.blocks, 5 * 4 * 3, 1e-9);
}

}  // namespace
}  // namespace lbsp::model::superstep
