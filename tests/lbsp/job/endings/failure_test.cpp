#include "lbsp/job/endings/failure.hpp"

#include <exception>
#include <gtest/gtest.h>
#include <stdexcept>

#include "transport/error.hpp"

namespace lbsp::job::endings {
namespace {

template <class Thrown>
Failure failure_after(const Thrown& thrown, bool aborted_here = false) {
  return failure_by(std::make_exception_ptr(thrown), aborted_here);
}

TEST(ThrownFailure, of_the_program_is_its_own_and_says_what_it_was) {
  const Failure failure = failure_after(std::runtime_error("no such matrix"));
  EXPECT_NE(failure.message.find("no such matrix"), std::string::npos) << failure.message;
  EXPECT_FALSE(failure.consequence);
  EXPECT_FALSE(failure.lost);
  EXPECT_FALSE(failure.excluded);
  EXPECT_FALSE(failure_after(7).consequence) << "whatever that is";
}

TEST(ThrownFailure, of_the_program_says_so_where_the_exception_has_nothing_to_say) {
  EXPECT_EQ(failure_after(std::runtime_error("")).message,
            "the program threw an exception without a message: say in it what is wrong");
}

TEST(ThrownFailure, of_a_lost_peer_is_a_consequence_and_names_it) {
  const Failure failure = failure_after(PeerLost(3, "rank 3 is silent"));
  EXPECT_TRUE(failure.consequence);
  EXPECT_EQ(failure.lost, 3);
  EXPECT_FALSE(failure.excluded);
}

TEST(ThrownFailure, of_an_abort_is_a_consequence_where_another_rank_has_ended_the_job) {
  EXPECT_TRUE(failure_after(Aborted("rank 2 ended the job"), false).consequence);
  EXPECT_FALSE(failure_after(Aborted("enough"), true).consequence);
}

TEST(ThrownFailure, of_a_rank_that_is_left_out_says_so) {
  const Failure failure = failure_after(Excluded("the others go on without this one"));
  EXPECT_TRUE(failure.consequence);
  EXPECT_TRUE(failure.excluded);
  EXPECT_FALSE(failure.lost);
}

}  // namespace
}  // namespace lbsp::job::endings
