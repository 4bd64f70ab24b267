#include "lbsp/checkpoint/layout.hpp"

#include <gtest/gtest.h>
#include <set>

namespace lbsp::checkpoint {
namespace {

TEST(Layout, gives_each_other_host_one_piece) {
  const Layout layout(4, {}, 1);
  EXPECT_EQ(layout.pieces(), 3);
  EXPECT_EQ(layout.needed(), 3);
  EXPECT_EQ(layout.keepers(0), (std::vector<Rank>{1, 2, 3}));
  EXPECT_EQ(layout.keepers(2), (std::vector<Rank>{3, 0, 1}));
}

TEST(Layout, needs_fewer_pieces_the_more_hosts_may_be_lost_at_once) {
  for (int survive = 1; survive <= 7; ++survive)
    EXPECT_EQ(Layout(8, {}, survive).needed(), 8 - survive);
  EXPECT_EQ(Layout(8, {}, 8).needed(), 1);
  EXPECT_EQ(Layout(8, {}, 8).pieces(), 7);
}

TEST(Layout, never_has_a_rank_of_the_own_host_keep_a_piece) {
  const std::vector<std::uint16_t> hosts = {7, 7, 7, 2, 2, 9, 9, 9};
  const Layout layout(8, hosts, 1);
  EXPECT_EQ(layout.pieces(), 2);
  for (Rank of = 0; of < 8; ++of) {
    std::set<std::uint16_t> on = {hosts[static_cast<std::size_t>(of)]};
    for (const Rank keeper : layout.keepers(of))
      EXPECT_TRUE(on.insert(hosts[static_cast<std::size_t>(keeper)]).second) << of << " " << keeper;
    EXPECT_EQ(on.size(), 3U);
  }
}

TEST(Layout, shares_the_pieces_out_among_the_ranks_of_a_host) {
  const std::vector<std::uint16_t> hosts = {0, 0, 1, 1};
  const Layout layout(4, hosts, 1);
  EXPECT_EQ(layout.keepers(0), std::vector<Rank>{2});
  EXPECT_EQ(layout.keepers(1), std::vector<Rank>{3});
}

TEST(Layout, takes_ranks_for_hosts_where_there_is_one_host_only) {
  const std::vector<std::uint16_t> hosts = {3, 3, 3};
  EXPECT_EQ(Layout(3, hosts, 1).pieces(), 2);
}

TEST(Layout, has_nobody_keep_the_state_of_a_world_of_one) {
  const Layout layout(1, {}, 2);
  EXPECT_EQ(layout.pieces(), 0);
  EXPECT_EQ(layout.needed(), 0);
  EXPECT_TRUE(layout.keepers(0).empty());
}

TEST(Layout, of_many_hosts_uses_as_many_as_the_code_has_pieces_for) {
  const Layout layout(200, {}, 3);
  EXPECT_EQ(layout.pieces(), Layout::most_pieces);
  EXPECT_EQ(layout.needed(), Layout::most_pieces - 2);
  EXPECT_EQ(layout.keepers(199).front(), 0);
}

}  // namespace
}  // namespace lbsp::checkpoint
