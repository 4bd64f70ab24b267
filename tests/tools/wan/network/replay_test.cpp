#include "tools/wan/network/replay.hpp"

#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::wan::network {
namespace {

using namespace std::chrono_literals;
using profile::PairProfile;
using profile::Profile;

constexpr double fast = 1e15;  // so that a packet takes no time on the link

PairProfile pair(int from, int to, int packet_size, double loss) {
  PairProfile out;
  out.from = from;
  out.to = to;
  out.packet_size = packet_size;
  out.loss = loss;
  out.burst = 2.5;
  out.round_trip = {.minimum = 0.069, .median = 0.070, .p99 = 0.070};
  out.bandwidth = fast;
  return out;
}

Profile two_hosts() {
  return {.measured_at = {},
          .hosts = {{"a", {}}, {"b", {}}},
          .pairs = {pair(0, 1, 1400, 0.1), pair(1, 0, 1400, 0.02)}};
}

TEST(Replay, gives_each_direction_what_was_measured) {
  const auto specs = specs_of(two_hosts());
  ASSERT_EQ(specs.hosts(), 2);
  EXPECT_EQ(specs.at(0, 1).loss, 0.1);
  EXPECT_EQ(specs.at(1, 0).loss, 0.02);
  EXPECT_EQ(specs.at(0, 1).burst, 2.5);
  EXPECT_EQ(specs.at(0, 1).round_trip_time, 70ms);
  EXPECT_EQ(specs.at(0, 1).jitter, 0ms);
  EXPECT_EQ(specs.at(0, 1).rate->value, fast);
}

TEST(Replay, shares_the_round_trip_where_its_two_measurements_differ) {
  auto profile = two_hosts();
  profile.pairs[1].round_trip.median = 0.080;
  const auto specs = specs_of(profile);
  EXPECT_EQ(specs.at(0, 1).round_trip_time, 75ms);
  EXPECT_EQ(specs.at(1, 0).round_trip_time, 75ms);
}

TEST(Replay, does_not_add_the_packets_time_on_the_links_a_second_time) {
  auto profile = two_hosts();
  profile.pairs[0].bandwidth = 1.4e6;  // 1400 bytes: 1 ms
  profile.pairs[1].bandwidth = 0.7e6;
  EXPECT_EQ(specs_of(profile).at(0, 1).round_trip_time, 67ms);
  EXPECT_EQ(specs_of(profile).at(1, 0).round_trip_time, 67ms);
  profile.pairs[1].bandwidth = 1e3;
  EXPECT_EQ(specs_of(profile).at(0, 1).round_trip_time, 0ms);
}

TEST(Replay, reckons_with_the_uplink_before_a_slower_link) {
  Profile profile{.measured_at = {}, .hosts = {{"a", {}}, {"b", {}}, {"c", {}}}, .pairs = {}};
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      if (from != to) profile.pairs.push_back(pair(from, to, 1400, 0));
    }
  }
  profile.pairs[0].bandwidth = 1.4e6;  // 0 to 1: 1 ms, the widest of 0
  profile.pairs[1].bandwidth = 0.7e6;  // 0 to 2: 2 ms after that
  EXPECT_EQ(specs_of(profile).at(0, 1).round_trip_time, 69ms);
  EXPECT_EQ(specs_of(profile).at(0, 2).round_trip_time, 67ms);
}

TEST(Replay, takes_jitter_from_the_99th_percentile_but_no_more_than_the_minimum_shows) {
  auto profile = two_hosts();
  for (auto& each : profile.pairs)
    each.round_trip = {.minimum = 0.040, .median = 0.070, .p99 = 0.070 + 0.0171716};
  EXPECT_NEAR(std::chrono::duration<double>(specs_of(profile).at(0, 1).jitter).count(), 0.010, 1e-5);
  for (auto& each : profile.pairs)
    each.round_trip.p99 = 3;
  EXPECT_EQ(specs_of(profile).at(0, 1).jitter, 15ms);
  for (auto& each : profile.pairs)
    each.round_trip.minimum = each.round_trip.median;
  EXPECT_EQ(specs_of(profile).at(0, 1).jitter, 0ms);
}

TEST(Replay, believes_the_largest_packets_that_were_not_fragmented) {
  auto profile = two_hosts();
  profile.pairs.push_back(pair(0, 1, 64, 0.01));
  profile.pairs.push_back(pair(0, 1, 1472, 0.12));
  profile.pairs.push_back(pair(0, 1, 9000, 0.5));
  profile.pairs.back().fragmented = true;
  EXPECT_EQ(specs_of(profile).at(0, 1).loss, 0.12);
}

TEST(Replay, refuses_what_no_bed_can_be) {
  auto profile = two_hosts();
  profile.pairs[0].round_trip = {.minimum = 1e6, .median = 1e6, .p99 = 1e6};
  EXPECT_THROW(specs_of(profile), UsageError);
  profile = two_hosts();
  profile.hosts.resize(251);
  EXPECT_THROW(specs_of(profile), UsageError);
}

}  // namespace
}  // namespace lbsp::wan::network
