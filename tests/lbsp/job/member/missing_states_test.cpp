#include "lbsp/job/member/missing_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::job::member {
namespace {

using namespace std::chrono_literals;
using ::testing::StartsWith;

TEST(MissingStates, are_told_after_ten_supersteps) {
  const Carried carried{Survival{.checkpoint = "/states"}};
  EXPECT_FALSE(missing_states(carried, 9, 5s));
  EXPECT_THAT(missing_states(carried, 10, 5s).value(),
              StartsWith("--checkpoint: after 10 supersteps and 5.0 s "));
}

TEST(MissingStates, are_told_after_a_minute_of_long_supersteps) {
  const Carried carried{Survival{.restart = "/states"}};
  EXPECT_FALSE(missing_states(carried, 1, 59s));
  EXPECT_THAT(missing_states(carried, 1, 60s).value(),
              StartsWith("--restart: after 1 superstep and 60.0 s "));
}

TEST(MissingStates, are_not_told_of_a_program_that_keeps_them) {
  Carried carried{Survival{.checkpoint = "/states"}};
  carried.begin_keeping(0, 2);
  EXPECT_FALSE(missing_states(carried, 1000, 1h));
}

TEST(MissingStates, are_not_told_where_none_are_to_be_kept_on_disk) {
  const Carried carried{Survival{.outlives_ranks = true}};
  EXPECT_FALSE(missing_states(carried, 1000, 1h));
}

}  // namespace
}  // namespace lbsp::job::member
