#include "tools/profile/network_view.hpp"

#include <array>
#include <gtest/gtest.h>

namespace lbsp::profile {
namespace {

PairProfile path(int from, int to, int packet_size, double loss) {
  return {.from = from,
          .to = to,
          .packet_size = packet_size,
          .loss = loss,
          .loss_sample = static_cast<std::uint64_t>(1000 + from),
          .second_copy_loss = {},
          .round_trip = {.minimum = 0.01, .median = 0.02 + 0.01 * from, .p99 = 0.1},
          .bandwidth = 1e6 * (1 + to)};
}

/// Three hosts; the path from 2 to 0 was not measured with large packets.
Profile three_hosts() {
  Profile profile;
  profile.hosts.resize(3);
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      if (from == to) continue;
      profile.pairs.push_back(path(from, to, 1400, 0.01 * (1 + from)));
      profile.pairs.push_back(path(from, to, 600, 0.005 * (1 + from)));
      if (from != 2 || to != 0) profile.pairs.push_back(path(from, to, 4000, 0.1));
    }
  }
  return profile;
}

TEST(NetworkView, takes_room_for_the_paths_that_are_known_and_not_for_all_that_may_be) {
  Profile profile = three_hosts();
  profile.hosts.resize(65535);
  const NetworkView view(profile);
  EXPECT_TRUE(view.knows(0, 1));
  EXPECT_FALSE(view.knows(0, 65534));
}

TEST(NetworkView, gives_a_pair_with_the_packet_size_nearest_to_what_is_asked) {
  const Profile profile = three_hosts();
  const NetworkView view(profile);
  EXPECT_EQ(view.pair(1, 2, 1400).packet_size, 1400);
  EXPECT_EQ(view.pair(1, 2, 1400).from, 1);
  EXPECT_EQ(view.pair(1, 2, 1400).to, 2);
  EXPECT_EQ(view.pair(1, 2, 1000).packet_size, 600);
  EXPECT_EQ(view.pair(1, 2, 1).packet_size, 600);
  EXPECT_EQ(view.pair(2, 0, 60000).packet_size, 1400);
}

TEST(NetworkView, knows_the_sizes_that_all_paths_have_in_common) {
  const Profile profile = three_hosts();
  const NetworkView view(profile);
  EXPECT_EQ(view.common_packet_sizes(std::array{0, 1, 2}), (std::vector<int>{600, 1400}));
  EXPECT_EQ(view.common_packet_sizes(std::array{0, 1}), (std::vector<int>{600, 1400, 4000}));
}

TEST(NetworkView, sums_a_network_up_by_its_worst_and_its_middle_path) {
  const Profile profile = three_hosts();
  const NetworkView view(profile);
  const NetworkSummary all = view.between(std::array{0, 1, 2}, 1400);
  EXPECT_DOUBLE_EQ(all.loss.worst, 0.03);
  EXPECT_DOUBLE_EQ(all.loss.median, 0.02);
  EXPECT_DOUBLE_EQ(all.loss_after_loss.worst, 0.03);
  EXPECT_DOUBLE_EQ(all.round_trip.worst, 0.04);
  EXPECT_DOUBLE_EQ(all.bandwidth.worst, 1e6);
  EXPECT_DOUBLE_EQ(all.bandwidth.median, 2e6);
  EXPECT_EQ(all.fewest_samples, 1000U);
  const NetworkSummary two = view.between(std::array{0, 1}, 1400);
  EXPECT_DOUBLE_EQ(two.loss.worst, 0.02);
  EXPECT_DOUBLE_EQ(two.loss.median, 0.015);
}

TEST(NetworkView, answers_from_the_paths_that_were_measured) {
  Profile profile = three_hosts();
  std::erase_if(profile.pairs, [](const PairProfile& pair) { return pair.from == 2 && pair.to == 0; });
  const NetworkView view(profile);
  EXPECT_FALSE(view.knows(2, 0));
  EXPECT_TRUE(view.knows(0, 2));
  EXPECT_FALSE(view.knows(1, 1));
  EXPECT_EQ(view.known(), (std::vector<std::pair<int, int>>{{0, 1}, {1, 2}}));
  EXPECT_EQ(view.first_unknown(std::array{0, 1, 2}, 3), (std::vector<std::pair<int, int>>{{0, 2}}));
  EXPECT_TRUE(view.first_unknown(std::array{0, 1}, 3).empty());
  EXPECT_DOUBLE_EQ(view.between(std::array{0, 2}, 1400).loss.worst, 0.01);
  EXPECT_EQ(view.common_packet_sizes(std::array{0, 1, 2}), (std::vector<int>{600, 1400, 4000}));
}

TEST(NetworkView, tells_pairs_that_failed_from_those_that_were_not_measured) {
  Profile profile = three_hosts();
  std::erase_if(profile.pairs, [](const PairProfile& pair) { return pair.from == 2 || pair.to == 2; });
  profile.failed = {{.from = 2, .to = 1, .reason = "no answer"},
                    {.from = 1, .to = 2, .reason = "later"},
                    {.from = 0, .to = 1, .reason = "measured since"}};
  const NetworkView view(profile);
  ASSERT_EQ(view.failed().size(), 1U);
  EXPECT_EQ(view.failed()[0].first, std::pair(1, 2));
  EXPECT_EQ(view.failed()[0].second->reason, "no answer");
  EXPECT_EQ(view.first_unknown(std::array{0, 1, 2}, 3), (std::vector<std::pair<int, int>>{{0, 2}}));
}

/// A path may lead from one of them to another only.
TEST(NetworkView, has_the_same_answers_for_few_hosts_of_many_paths_and_many_hosts_of_few) {
  Profile profile = three_hosts();
  const NetworkView many(profile);
  EXPECT_DOUBLE_EQ(many.between(std::array{0, 1}, 1400).loss.worst, 0.02);
  std::erase_if(profile.pairs, [](const PairProfile& pair) { return pair.from == 2 || pair.to == 2; });
  const NetworkView few(profile);
  EXPECT_DOUBLE_EQ(few.between(std::array{0, 1, 2}, 1400).loss.worst, 0.02);
  EXPECT_DOUBLE_EQ(few.between(std::array{0, 1}, 1400).loss.worst, 0.02);
}

TEST(NetworkView, takes_all_paths_for_hosts_between_which_none_was_measured) {
  Profile profile = three_hosts();
  std::erase_if(profile.pairs, [](const PairProfile& pair) { return pair.from + pair.to == 2; });
  const NetworkView view(profile);
  EXPECT_DOUBLE_EQ(view.between(std::array{0, 2}, 1400).loss.worst, 0.03);
  EXPECT_EQ(view.common_packet_sizes(std::array{0, 2}), (std::vector<int>{600, 1400, 4000}));
}

TEST(NetworkView, knows_the_largest_datagram_that_every_path_takes) {
  Profile profile = three_hosts();
  EXPECT_EQ(NetworkView(profile).largest_datagram(std::array{0, 1, 2}), std::nullopt);
  for (PairProfile& pair : profile.pairs)
    pair.largest_datagram = 1000 * (pair.from + pair.to);
  EXPECT_EQ(NetworkView(profile).largest_datagram(std::array{0, 1, 2}), 1000);
  EXPECT_EQ(NetworkView(profile).largest_datagram(std::array{1, 2}), 3000);
}

TEST(LossAfterLoss, lies_between_the_measured_spacings) {
  PairProfile pair = path(0, 1, 1400, 0.1);
  EXPECT_EQ(loss_after_loss(pair, 0.001), 0.1);
  pair.second_copy_loss = {{.spacing = 0.004, .loss = 0.2}, {.spacing = 0, .loss = 0.6}};
  EXPECT_DOUBLE_EQ(loss_after_loss(pair, 0), 0.6);
  EXPECT_DOUBLE_EQ(loss_after_loss(pair, 0.001), 0.5);
  EXPECT_DOUBLE_EQ(loss_after_loss(pair, 0.004), 0.2);
  EXPECT_DOUBLE_EQ(loss_after_loss(pair, 1), 0.2);
}

TEST(LossAfterLoss, hardly_believes_a_few_samples) {
  PairProfile pair = path(0, 1, 1400, 0.1);
  pair.second_copy_loss = {{.spacing = 0, .loss = 1, .sample = 3}};
  EXPECT_LT(loss_after_loss(pair, 0), 0.2);
  pair.second_copy_loss = {{.spacing = 0, .loss = 1, .sample = 3000}};
  EXPECT_GT(loss_after_loss(pair, 0), 0.98);
  EXPECT_LT(loss_after_loss(pair, 0), 1);
}

}  // namespace
}  // namespace lbsp::profile
