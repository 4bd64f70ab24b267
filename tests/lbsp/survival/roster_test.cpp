#include "lbsp/survival/roster.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace lbsp {
namespace {

using Hosts = std::vector<std::uint16_t>;
using Members = std::vector<Rank>;

/// Of a world that goes on with these, some of whom are new processes.
transport::WorldChange with(std::uint32_t epoch, Members members, Members seated = {}) {
  transport::WorldChange change;
  change.epoch = epoch;
  change.members = std::move(members);
  change.seated = std::move(seated);
  return change;
}

TEST(Roster, has_all_ranks_before_the_world_changes) {
  const Roster roster;
  EXPECT_FALSE(roster.change());
  EXPECT_EQ(roster.epoch(), 0U);
  EXPECT_EQ(roster.members(3), (Members{0, 1, 2}));
  EXPECT_TRUE(roster.newer_than(0).empty()) << "nobody is new";
}

TEST(Roster, has_those_that_go_on) {
  Roster roster;
  roster.change_to(with(1, {0, 2, 3}));
  EXPECT_EQ(roster.epoch(), 1U);
  EXPECT_EQ(roster.members(3), (Members{0, 2, 3}));
}

TEST(Roster, knows_whose_process_came_after_a_world_also_when_others_have_come_since) {
  Roster roster;
  roster.change_to(with(1, {0, 1, 2}, {1}));
  roster.change_to(with(2, {0, 1, 2}, {2}));
  EXPECT_EQ(roster.newer_than(0), (std::vector{false, true, true}));
  EXPECT_EQ(roster.newer_than(1), (std::vector{false, false, true}));
  EXPECT_EQ(roster.newer_than(2), (std::vector{false, false, false}));
}

TEST(Roster, has_the_hosts_of_those_that_go_on) {
  Roster roster(Hosts{7, 7, 8, 9});
  EXPECT_EQ(roster.hosts(4), (Hosts{7, 7, 8, 9}));
  EXPECT_EQ(roster.count_hosts(4), 3U);
  roster.change_to(with(1, {0, 1, 3}));
  EXPECT_EQ(roster.hosts(3), (Hosts{7, 7, 9}));
  EXPECT_EQ(roster.count_hosts(3), 2U);
}

TEST(Roster, takes_the_hosts_that_a_change_tells) {
  Roster roster(Hosts{7, 8});
  transport::WorldChange change = with(1, {0, 1, 2}, {2});
  change.hosts = {7, 8, 5};
  roster.change_to(change);
  EXPECT_EQ(roster.hosts(3), (Hosts{7, 8, 5}));
  EXPECT_EQ(roster.hosts_by_slot(), (Hosts{7, 8, 5}));
}

TEST(Roster, has_no_hosts_if_one_is_not_known) {
  Roster roster(Hosts{7, 8});
  roster.change_to(with(1, {0, 1, 2}, {2}));
  EXPECT_TRUE(roster.hosts(3).empty());
}

TEST(Roster, counts_each_rank_as_a_host_where_all_are_on_one) {
  EXPECT_EQ(Roster(Hosts{4, 4, 4}).count_hosts(3), 3U);
  EXPECT_EQ(Roster().count_hosts(5), 5U);
}

}  // namespace
}  // namespace lbsp
