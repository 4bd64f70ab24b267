#include "transport/shared_memory/lookout.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace lbsp::transport::shared_memory {
namespace {

/// How often of so many waits, in none of which anything comes, others were let run.
int yields_in(Lookout& lookout, int waits, Duration each) {
  int yields = 0;
  for (int i = 0; i < waits; ++i)
    lookout.look([] { return false; },
                 [&] {
                   ++yields;
                   std::this_thread::sleep_for(each);
                 });
  return yields;
}

TEST(Lookout, does_not_yield_again_and_again_to_those_who_keep_the_processor) {
  Lookout lookout(false);
  EXPECT_EQ(yields_in(lookout, 10, Lookout::long_yield), 1);
  // It tries now and then, ever less often.
  EXPECT_LE(yields_in(lookout, 300, Lookout::long_yield), 4);
}

TEST(Lookout, that_has_waited_long_has_seen_what_came_meanwhile_and_still_learns) {
  Lookout lookout(false);
  bool came = false;
  const auto yield = [&] {
    std::this_thread::sleep_for(Lookout::long_yield);
    came = true;
  };
  EXPECT_TRUE(lookout.look([&] { return came; }, yield));
  EXPECT_EQ(yields_in(lookout, 10, Duration{0}), 0);
}

TEST(Lookout, looks_on_without_a_pause_where_each_rank_has_a_processor) {
  Lookout lookout(true);
  int looks = 0;
  EXPECT_TRUE(lookout.look([&] { return ++looks == 100; }, [] { FAIL() << "nobody else is to run"; }));
}

}  // namespace
}  // namespace lbsp::transport::shared_memory
