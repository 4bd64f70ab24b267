// A program that is started by way of PMIx, whose library tests/tools/programs/local_pmix.cpp stands in for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using ::testing::HasSubstr;

TEST(LocalFence, that_ends_at_once_is_not_waited_for) {
  const auto outcome = Command({built("matmul"), "--size", "30", "--verify"},
                               {.environment = {{"PMIX_NAMESPACE", "local"},
                                                {"PMIX_RANK", "0"},
                                                {"LD_LIBRARY_PATH", LBSP_LOCAL_PMIX}}})
                           .wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr(", verified"));
}

}  // namespace
}  // namespace lbsp::test
