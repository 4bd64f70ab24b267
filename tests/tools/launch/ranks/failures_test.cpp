#include "tools/launch/ranks/failures.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lbsp::launch::ranks {
namespace {

using Kind = Failures::Kind;

TEST(Failures, the_first_of_the_gravest_kind_is_the_reason) {
  Failures failures;
  EXPECT_FALSE(failures.any());
  failures.add(Kind::consequence, "rank 0 lost rank 1", 1);
  failures.add(Kind::consequence, "rank 2 lost rank 1", 1);
  EXPECT_EQ(failures.message(), "rank 0 lost rank 1");
  failures.add(Kind::program, "rank 1 threw");
  failures.add(Kind::program, "rank 2 threw");
  EXPECT_EQ(failures.message(), "rank 1 threw");
  failures.add(Kind::process, "rank 3 was killed");
  EXPECT_EQ(failures.message(), "rank 3 was killed");
}

TEST(Failures, the_first_to_speak_of_two_that_lost_each_other_is_believed) {
  Failures failures;
  failures.add(Kind::consequence, "rank 1 lost rank 0", 0);
  failures.add(Kind::consequence, "rank 0 lost rank 1", 1);
  EXPECT_EQ(failures.message(), "rank 1 lost rank 0");
}

TEST(Failures, who_is_accused_by_several_is_not_believed_against_them) {
  Failures failures;
  failures.add(Kind::consequence, "rank 2 lost rank 0", 0);
  failures.add(Kind::consequence, "rank 2 was aborted");
  failures.add(Kind::consequence, "rank 3 lost rank 2", 2);
  failures.add(Kind::consequence, "rank 0 lost rank 2", 2);
  EXPECT_EQ(failures.message(), "rank 3 lost rank 2");
}

TEST(Failures, are_kept_to_a_bound_however_many_there_are) {
  Failures failures;
  for (Rank rank = 0; rank < 60'000; ++rank)
    failures.add(Kind::consequence, fmt::format("a rank lost rank {}", rank), rank);
  EXPECT_EQ(failures.kept(), Failures::most_lost);
  failures.add(Kind::consequence, "another rank lost rank 7", 7);
  EXPECT_EQ(failures.message(), "a rank lost rank 7");
  for (int i = 0; i < 1000; ++i)
    failures.add(Kind::program, fmt::format("rank {} threw", i));
  EXPECT_LE(failures.kept(), Failures::most_lost + 3);
  EXPECT_EQ(failures.message(), "rank 0 threw") << "a graver one is kept all the same";
}

}  // namespace
}  // namespace lbsp::launch::ranks
