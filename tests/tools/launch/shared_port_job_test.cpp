#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/slowness.hpp"
#include "tests/tools/launch/lasting_run.hpp"

namespace lbsp::test {
namespace {

// Who was rank 2 is rank 1 in the next world, and its datagrams still have to come to its own socket.
TEST(SharedPortJob, goes_on_without_a_rank_behind_the_port) {
  LastingRun job(4, {"--port", "4322"});
  job.signal(1, SIGKILL);
  expect_survivors(job.wait(), " 0 2 3", 3);
  const auto changes = job.report()["changes"];
  ASSERT_EQ(changes.size(), 1U) << changes;
  EXPECT_LT(changes[0]["stood_still"], 1.0 * slowness());
  job.expect_nothing_left();
}

}  // namespace
}  // namespace lbsp::test
