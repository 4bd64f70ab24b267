#include "transport/paths/newest_in_turn.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

/// Of which datagram echoes tell where some are lost, and some overtake others.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// One datagram in 100 us.
class Arrivals {
 public:
  explicit Arrivals(Duration late = 0ms) : late_(late) {}

  bool come(std::uint64_t packet, std::uint64_t questions = 0) {
    now_ += 100us;
    numbers_.enter(packet);
    return newest_.enter(packet, questions, numbers_, late_, now_);
  }
  void come_from_to(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t packet = first; packet <= last; ++packet)
      EXPECT_TRUE(come(packet)) << packet;
  }
  void wait(Duration time) { now_ += time; }
  bool gives_up() {
    if (!newest_.gives_up(late_, now_)) return false;
    newest_.give_up(numbers_);
    return true;
  }
  const NewestInTurn& newest() const { return newest_; }

 private:
  Duration late_;
  ReplayWindow numbers_;
  NewestInTurn newest_;
  Instant now_ = start;
};

TEST(NewestInTurn, is_the_newest_where_few_are_lost) {
  Arrivals arrivals;
  arrivals.come_from_to(0, 9);
  EXPECT_TRUE(arrivals.come(13)) << "three";
  EXPECT_EQ(arrivals.newest().next(), 14u);
  EXPECT_FALSE(arrivals.come(11)) << "late";
  EXPECT_EQ(arrivals.newest().next(), 14u);
  EXPECT_EQ(arrivals.newest().ahead(), 0u);
}

TEST(NewestInTurn, is_none_that_has_overtaken_many) {
  Arrivals arrivals;
  arrivals.come_from_to(0, 9);
  EXPECT_FALSE(arrivals.come(50));
  EXPECT_EQ(arrivals.newest().next(), 10u);
  EXPECT_EQ(arrivals.newest().ahead(), 1u);
  arrivals.come_from_to(10, 20);
  EXPECT_FALSE(arrivals.come(70));
  arrivals.come_from_to(21, 49);
  EXPECT_EQ(arrivals.newest().ahead(), 2u);
  arrivals.come_from_to(51, 60);
  EXPECT_EQ(arrivals.newest().ahead(), 1u) << "the first one is in its turn now";
}

TEST(NewestInTurn, is_the_next_one_after_many_that_are_lost) {
  Arrivals arrivals;
  arrivals.come_from_to(0, 9);
  EXPECT_FALSE(arrivals.come(20));
  EXPECT_TRUE(arrivals.come(21));
  EXPECT_EQ(arrivals.newest().next(), 22u);
  EXPECT_TRUE(arrivals.come(31)) << "a queue drops most";
  EXPECT_EQ(arrivals.newest().ahead(), 0u);
}

TEST(NewestInTurn, waits_where_some_have_been_late_for_as_long_as_they_were) {
  Arrivals arrivals(5ms);
  arrivals.come_from_to(0, 9);
  for (std::uint64_t packet = 20; packet < 70; ++packet)
    EXPECT_FALSE(arrivals.come(packet)) << packet;
  EXPECT_TRUE(arrivals.come(70));
  EXPECT_EQ(arrivals.newest().ahead(), 0u);
}

/// An echo that is made later tells of the largest, so that a sender hears of all that has come.
TEST(NewestInTurn, is_the_largest_where_no_others_come) {
  Arrivals known;
  known.come_from_to(0, 9);
  EXPECT_FALSE(known.gives_up()) << "there is nothing";
  known.come(20);
  EXPECT_TRUE(known.gives_up());
  EXPECT_EQ(known.newest().next(), 21u);

  Arrivals reordered(5ms);
  reordered.come_from_to(0, 9);
  reordered.come(20);
  EXPECT_FALSE(reordered.gives_up());
  reordered.wait(5ms);
  EXPECT_TRUE(reordered.gives_up());
  EXPECT_EQ(reordered.newest().ahead(), 0u);
}

TEST(NewestInTurn, does_not_miss_questions) {
  Arrivals arrivals;
  arrivals.come_from_to(0, 9);
  EXPECT_TRUE(arrivals.come(20, 8));
}

}  // namespace
}  // namespace lbsp::transport
