#include "lbsp/survival/carried.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "transport/error.hpp"

namespace lbsp {
namespace {

transport::WorldChange change_without_rank_2(std::uint32_t epoch, std::uint64_t boundary) {
  return {.epoch = epoch, .members = {0, 1}, .lost = {2}, .boundary = boundary};
}

TEST(Carried, states_are_kept_in_one_way) {
  Carried saving({.outlives_ranks = true});
  saving.save(1, std::string("one"), 0);
  EXPECT_THROW(saving.begin_keeping(0, 3), UsageError);
  Carried keeping({.outlives_ranks = true});
  keeping.begin_keeping(0, 3);
  keeping.keeping().store.save(1, Bytes(8), true);
  EXPECT_THROW(keeping.save(1, std::string("one"), 0), UsageError);
}

TEST(Carried, a_program_that_ranks_may_join_saves_no_states) {
  Carried carried({.outlives_ranks = true});
  EXPECT_EQ(carried.next_boundary(), 1U);
  EXPECT_EQ(carried.next_boundary(), 2U);
  EXPECT_THROW(carried.save(1, std::string("one"), 0), UsageError);
  EXPECT_THROW(carried.begin_keeping(0, 3), UsageError);
}

TEST(Carried, boundaries_of_who_admits_others_count_on_from_where_the_world_has_changed) {
  Carried carried({.outlives_ranks = true});
  carried.next_boundary();
  carried.change_to(change_without_rank_2(1, 7));
  EXPECT_EQ(carried.next_boundary(), 8U);
}

TEST(Carried, a_job_with_states_on_disk_lacks_them_until_its_program_keeps_some) {
  Carried carried({.checkpoint = "/states"});
  EXPECT_TRUE(carried.lacks_states());
  EXPECT_THROW(carried.require_kept(), UsageError);
  carried.begin_keeping(0, 3);
  EXPECT_FALSE(carried.lacks_states());
  EXPECT_NO_THROW(carried.require_kept());
}

TEST(Carried, each_world_has_a_generation_of_its_own_on_disk) {
  Carried carried({.outlives_ranks = true});
  carried.keeping().first_generation = 4;
  carried.next_boundary();
  EXPECT_EQ(carried.generation(), 4U);
  carried.change_to(change_without_rank_2(2, 0));
  EXPECT_EQ(carried.generation(), 6U);
}

TEST(Carried, luggage_is_one_of_each_type_and_how_far_it_reached_never_falls) {
  Carried carried;
  EXPECT_FALSE(carried.has_luggage());
  carried.luggage_of(typeid(int)) = std::make_shared<int>(3);
  EXPECT_TRUE(carried.has_luggage());
  EXPECT_EQ(carried.luggage_of(typeid(long)), nullptr);
  EXPECT_FALSE(carried.reached());
  carried.reach(5);
  carried.reach(2);
  EXPECT_EQ(carried.reached(), 5U);
}

}  // namespace
}  // namespace lbsp
