#include "transport/paths/loss_doubt.hpp"

#include <gtest/gtest.h>

/// Heavy loss of short messages, which the queue that their copies fill may have dropped.
namespace lbsp::transport {
namespace {

class LossIsDoubted : public ::testing::Test {
 protected:
  static constexpr double datagrams = 500;

  /// Whether loss is forgotten in a superstep before which a queue was seen.
  bool forgets(std::uint64_t superstep, double loss) {
    bool queued = true;
    return doubt.forgets(superstep, loss, datagrams, queued);
  }
  /// The next superstep in which as much loss as that is forgotten; 0: in none of 5000.
  std::uint64_t next(std::uint64_t superstep, double loss) {
    for (std::uint64_t later = superstep + 1; later <= superstep + 5000; ++later) {
      if (forgets(later, loss)) return later;
    }
    return 0;
  }

  LossDoubt doubt;
};

TEST_F(LossIsDoubted, in_the_same_supersteps_on_all_ranks) {
  EXPECT_EQ(next(3, 0.5), 8u);
  LossDoubt later;
  bool queued = true;
  EXPECT_FALSE(later.forgets(7, 0.5, datagrams, queued));
  EXPECT_TRUE(later.forgets(8, 0.5, datagrams, queued));
}

TEST_F(LossIsDoubted, only_if_it_is_heavy_and_known) {
  EXPECT_EQ(next(0, 0.11), 0u);
  bool queued = true;
  EXPECT_FALSE(doubt.forgets(8, 0.5, 60, queued));
}

TEST_F(LossIsDoubted, only_where_a_queue_was_seen_since_it_was_doubted_last) {
  bool queued = false;
  EXPECT_FALSE(doubt.forgets(8, 0.5, datagrams, queued));
  queued = true;
  EXPECT_TRUE(doubt.forgets(16, 0.5, datagrams, queued));
  EXPECT_FALSE(queued);
}

TEST_F(LossIsDoubted, ever_more_rarely_where_as_much_is_lost_again) {
  EXPECT_EQ(next(0, 0.4), 8u);
  EXPECT_EQ(next(8, 0.4), 32u);
  EXPECT_EQ(next(32, 0.4), 128u);
  EXPECT_EQ(next(128, 0.4), 512u);
  EXPECT_EQ(next(512, 0.4), 1024u);
  EXPECT_EQ(next(1024, 0.4), 2048u);
  EXPECT_EQ(doubt.none_lost(), 50u);
}

TEST_F(LossIsDoubted, again_and_for_longer_where_less_was_lost) {
  EXPECT_TRUE(forgets(8, 0.5));
  EXPECT_FALSE(forgets(16, 0.05));
  EXPECT_EQ(doubt.none_lost(), 200u);
  EXPECT_TRUE(forgets(24, 0.5));
  EXPECT_TRUE(forgets(32, 0.3)) << "less than before, and heavy nevertheless";
  EXPECT_EQ(doubt.none_lost(), 800u);
}

}  // namespace
}  // namespace lbsp::transport
