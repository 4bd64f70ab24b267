#include "lbsp/job/endings/program_error.hpp"

#include <gtest/gtest.h>

namespace lbsp::job::endings {
namespace {

TEST(ProgramError, names_the_rank_and_its_host_once) {
  EXPECT_EQ(failure_of(1, "node2", "the grid is not finite: start with less"),
            "rank 1 on node2: the grid is not finite: start with less");
  EXPECT_EQ(failure_of(1, "node2", "[5] of 4 elements on rank 1 in superstep 1"),
            "rank 1 on node2: [5] of 4 elements in superstep 1");
  EXPECT_EQ(failure_of(1, "node2", "rank 1 ended the program in superstep 3: call sync()"),
            "rank 1 on node2 ended the program in superstep 3: call sync()");
  for (const char* whole : {"rank 1 on node2 was last heard 3 s ago", "rank 1 on node2: no memory"})
    EXPECT_EQ(failure_of(1, "node2", whole), whole);
}

TEST(ProgramError, keeps_what_is_said_of_other_ranks) {
  for (const char* told : {"rank 12 ended the program", "rank 2 on node2 was last heard 3 s ago",
                           "rank 1, which is on another host", "put of 1 element on rank 12"})
    EXPECT_EQ(failure_of(1, "node2", told), std::string("rank 1 on node2: ") + told);
}

}  // namespace
}  // namespace lbsp::job::endings
