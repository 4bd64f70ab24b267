#include "tools/launch/network/known_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::launch::network {

using places::Placement;

namespace {

using namespace std::chrono_literals;

/// Hosts a, b and c; every path's loss tells which it is, 0.01·from + 0.001·to, and the bandwidth its end.
profile::Profile measured() {
  profile::Profile profile;
  for (const char* name : {"a", "b", "c"})
    profile.hosts.push_back({.name = name, .compute = {}});
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      if (from == to) continue;
      for (const int size : {600, 1400})
        profile.pairs.push_back({.from = from,
                                 .to = to,
                                 .packet_size = size,
                                 .loss = (size == 600 ? 0.5 : 0) + 0.01 * from + 0.001 * to,
                                 .loss_sample = 500,
                                 .second_copy_loss = {},
                                 .round_trip = {.minimum = 0.02, .median = 0.03, .p99 = 0.06},
                                 .bandwidth = 1e6 * (to + 1)});
    }
  }
  return profile;
}

Placement placed(const std::vector<std::pair<std::string, int>>& hosts) {
  Placement placement;
  placement.over_hosts = true;
  for (const auto& [name, ranks] : hosts) {
    placement.hosts.push_back({.name = name,
                               .user = {},
                               .address = {},
                               .local = false,
                               .first_rank = placement.size,
                               .ranks = ranks});
    placement.size += ranks;
  }
  return placement;
}

TEST(KnownNetwork, finds_hosts_by_their_names_in_whatever_order) {
  EXPECT_EQ(match_hosts(measured(), {"c", "a"}), (std::vector<int>{2, 0}));
}

TEST(KnownNetwork, takes_hosts_by_their_order_if_it_knows_none_by_name) {
  EXPECT_EQ(match_hosts(measured(), {"10.0.0.1", "10.0.0.2"}), (std::vector<int>{0, 1}));
}

TEST(KnownNetwork, refuses_hosts_of_which_it_knows_but_some_and_more_than_it_has) {
  EXPECT_THROW(match_hosts(measured(), {"a", "x"}), UsageError);
  EXPECT_THROW(match_hosts(measured(), {"w", "x", "y", "z"}), UsageError);
}

TEST(KnownNetwork, tells_a_rank_what_is_known_of_its_paths) {
  const KnownNetwork known(measured(), placed({{"b", 2}, {"a", 1}}), 1400);
  const auto paths = known.paths_from(0);
  ASSERT_EQ(paths.size(), 3U);
  EXPECT_FALSE(paths[0]);
  EXPECT_FALSE(paths[1]);
  ASSERT_TRUE(paths[2]);
  EXPECT_DOUBLE_EQ(paths[2]->loss, 0.01);
  EXPECT_DOUBLE_EQ(paths[2]->loss_after_loss, 0.01);
  EXPECT_EQ(paths[2]->loss_sample, 500);
  EXPECT_EQ(paths[2]->round_trip, 30ms);
  EXPECT_EQ(paths[2]->round_trip_variation, 10ms);
  EXPECT_DOUBLE_EQ(known.paths_from(2)[0]->loss, 0.001);
}

TEST(KnownNetwork, looks_at_the_packet_size_nearest_to_the_datagrams) {
  const KnownNetwork known(measured(), placed({{"b", 1}, {"a", 1}}), 512);
  EXPECT_DOUBLE_EQ(known.paths_from(0)[1]->loss, 0.51);
}

TEST(KnownNetwork, takes_the_lowest_bandwidth_for_every_host_s_rate) {
  EXPECT_DOUBLE_EQ(KnownNetwork(measured(), placed({{"b", 1}, {"c", 1}}), 1400).rate()->value, 2e6);
  EXPECT_DOUBLE_EQ(KnownNetwork(measured(), placed({{"b", 1}, {"c", 4}}), 1400).rate()->value, 2e6);
  EXPECT_FALSE(KnownNetwork(measured(), placed({{"b", 4}}), 1400).rate());
}

TEST(KnownNetwork, takes_the_highest_bandwidth_of_its_paths_for_a_host_s_own_rate) {
  const KnownNetwork known(measured(), placed({{"a", 2}, {"b", 1}, {"c", 1}}), 1400);
  EXPECT_DOUBLE_EQ(known.rate_from(1)->value, 3e6);
  EXPECT_DOUBLE_EQ(known.rate_from(3)->value, 2e6);
  EXPECT_DOUBLE_EQ(known.paths_from(1)[2]->bandwidth.value, 2e6);
  EXPECT_FALSE(KnownNetwork(measured(), placed({{"b", 4}}), 1400).rate_from(0));
}

TEST(KnownNetwork, does_without_paths_that_were_not_measured) {
  auto profile = measured();
  std::erase_if(profile.pairs, [](const auto& pair) { return pair.from == 0 && pair.to == 1; });
  const KnownNetwork known(profile, placed({{"a", 1}, {"b", 1}, {"c", 1}}), 1400);
  EXPECT_FALSE(known.paths_from(0)[1]);
  EXPECT_TRUE(known.paths_from(0)[2]);
  EXPECT_DOUBLE_EQ(known.rate()->value, 1e6);
}

TEST(KnownNetwork, tells_the_largest_datagram_of_the_paths_between_the_job_s_hosts) {
  auto profile = measured();
  const auto placement = placed({{"a", 2}, {"b", 1}});
  EXPECT_FALSE(KnownNetwork(profile, placement, 1400).largest_datagram());
  for (auto& pair : profile.pairs)
    pair.largest_datagram = pair.from == 2 || pair.to == 2 ? 100 : 1392 + 80 * pair.from;
  EXPECT_EQ(KnownNetwork(profile, placement, 1400).largest_datagram(), 1392U);
  EXPECT_EQ(KnownNetwork(profile, placed({{"a", 1}, {"c", 1}}), 1400).largest_datagram(), 256U);
  EXPECT_FALSE(KnownNetwork(profile, placed({{"a", 4}}), 1400).largest_datagram());
}

TEST(KnownNetwork, lends_its_hosts_by_turns_to_a_rehearsal_on_one_machine) {
  Placement here = placed({{"localhost", 4}});
  here.over_hosts = false;
  const KnownNetwork known(measured(), here, 1400);
  const auto paths = known.paths_from(3);  // host a again
  EXPECT_FALSE(paths[0]);
  EXPECT_DOUBLE_EQ(paths[1]->loss, 0.001);
  EXPECT_DOUBLE_EQ(paths[2]->loss, 0.002);
}

}  // namespace
}  // namespace lbsp::launch::network
