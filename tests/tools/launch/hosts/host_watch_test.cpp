#include "tools/launch/hosts/host_watch.hpp"

#include <gtest/gtest.h>

namespace lbsp::launch::hosts {
namespace {

using namespace std::chrono_literals;

using Ranks = HostWatch::Ranks;

void tick(HostWatch& watch, int times, Ranks ranks) {
  for (int i = 0; i < times; ++i)
    watch.tick(ranks);
}

TEST(HostWatch, loses_a_host_that_was_silent_for_longer_than_its_limit) {
  HostWatch watch(2, 5s);
  tick(watch, static_cast<int>(watch.limit() / HostWatch::tick_interval), Ranks::run);
  watch.heard(1);
  EXPECT_FALSE(watch.lost(0));
  watch.tick(Ranks::run);
  EXPECT_TRUE(watch.lost(0));
  EXPECT_FALSE(watch.lost(1));
}

TEST(HostWatch, waits_a_minute_for_ranks_that_are_all_stopped) {
  HostWatch watch(1, 1s);
  tick(watch, 60, Ranks::stopped);
  EXPECT_FALSE(watch.stopped_for_good());
  watch.tick(Ranks::stopped);
  EXPECT_TRUE(watch.stopped_for_good());
}

TEST(HostWatch, begins_to_count_anew_when_a_rank_is_continued) {
  HostWatch watch(1, 1s);
  tick(watch, 60, Ranks::stopped);
  watch.tick(Ranks::run);
  tick(watch, 60, Ranks::stopped);
  EXPECT_FALSE(watch.stopped_for_good());
}

TEST(HostWatch, waits_for_stopped_ranks_no_longer_than_for_a_host_where_others_have_ended) {
  HostWatch watch(1, 1s);
  tick(watch, 30, Ranks::stopped);
  tick(watch, static_cast<int>(watch.limit() / HostWatch::tick_interval), Ranks::left_stopped);
  EXPECT_FALSE(watch.stopped_for_good());
  watch.tick(Ranks::left_stopped);
  EXPECT_TRUE(watch.stopped_for_good());
  EXPECT_EQ(watch.longest_stop(), watch.limit());
}

TEST(HostWatch, waits_longer_for_stopped_ranks_where_silence_may_last_longer) {
  HostWatch watch(1, 100s);
  tick(watch, 202, Ranks::stopped);
  EXPECT_FALSE(watch.stopped_for_good());
  EXPECT_EQ(watch.longest_stop(), watch.limit());
}

}  // namespace
}  // namespace lbsp::launch::hosts
