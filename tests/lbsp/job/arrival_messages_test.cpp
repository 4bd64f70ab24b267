#include <cstdint>
#include <gtest/gtest.h>

#include "tests/lbsp/job/there_and_back.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

TEST(Messages, carry_where_ranks_may_be_whose_new_processes_have_no_place_yet) {
  Start start;
  start.addresses = {{"a", 1, "one"}, {"b", 2, "two"}};
  start.former = {{1, {"c", 3, "three"}}};
  const Start got = there_and_back(start);
  ASSERT_EQ(got.former.size(), 1U);
  EXPECT_EQ(got.former[0].first, 1);
  EXPECT_EQ(got.former[0].second.host, "c");
  EXPECT_EQ(got.former[0].second.port, 3);
  EXPECT_EQ(got.former[0].second.name, "three");
  start.former[0].first = 2;  // there is no such rank
  EXPECT_THROW(there_and_back(start), Error);
}

TEST(Messages, carry_which_ranks_share_memory_and_whether_they_do) {
  const SharedMemory shared{.first_rank = 4, .ranks = 3, .message_bytes = std::uint64_t{1} << 40};
  const auto spawn = [&](Rank rank) {
    Spawn message;
    message.first_rank = rank;
    message.shared = shared;
    return there_and_back(message);
  };
  const auto welcome = [&](Rank rank) {
    Welcome message;
    message.rank = rank;
    message.size = 9;
    message.shared = shared;
    return there_and_back(message);
  };
  for (const auto& got : {spawn(6).shared, welcome(4).shared}) {
    ASSERT_TRUE(got);
    EXPECT_EQ(got->first_rank, 4);
    EXPECT_EQ(got->ranks, 3);
    EXPECT_EQ(got->message_bytes, std::uint64_t{1} << 40);
  }
  EXPECT_FALSE(there_and_back(Spawn{}).shared);
  // A rank beside its host's.
  EXPECT_THROW(spawn(7), Error);
  EXPECT_THROW(welcome(3), Error);
  for (const bool yes : {false, true}) {
    Hello hello;
    hello.shares_memory = yes;
    EXPECT_EQ(there_and_back(hello).shares_memory, yes);
    Start start;
    start.share_memory = yes;
    EXPECT_EQ(there_and_back(start).share_memory, yes);
  }
}

}  // namespace
}  // namespace lbsp::job
