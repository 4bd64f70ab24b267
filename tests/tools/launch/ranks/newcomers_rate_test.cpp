// What a process is told of the network that begins later, in the place of a lost one or on a host that joins.
#include <gtest/gtest.h>

#include "tools/launch/network/first_rate.hpp"
#include "tools/launch/ranks/start_up.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::ranks {
namespace {

using transport::megabits_per_second;

/// The bandwidth of a path tells its ends: 10 MB/s · (from + 1) + 1 MB/s · to, and so does its loss.
profile::Profile measured_hosts(const std::vector<std::string>& names) {
  profile::Profile profile;
  for (const std::string& name : names)
    profile.hosts.push_back({.name = name, .compute = {}});
  const int hosts = static_cast<int>(names.size());
  for (int from = 0; from < hosts; ++from) {
    for (int to = 0; to < hosts; ++to) {
      if (from == to) continue;
      profile.pairs.push_back({.from = from,
                               .to = to,
                               .packet_size = 1400,
                               .loss = 0.01 * from + 0.001 * to,
                               .loss_sample = 500,
                               .second_copy_loss = {},
                               .round_trip = {.minimum = 0.02, .median = 0.03, .p99 = 0.06},
                               .bandwidth = 1e7 * (from + 1) + 1e6 * to});
    }
  }
  return profile;
}

places::PlacedHost host_at(const std::string& name, Rank first_rank, int ranks, int spares) {
  return {.name = name,
          .user = {},
          .address = "10.0.0." + name.substr(1),
          .local = false,
          .first_rank = first_rank,
          .ranks = ranks,
          .spares = spares};
}

/// Three ranks on h0, h1 and h2, and h3 with a slot that is free.
struct PlacedJob {
  explicit PlacedJob(const std::vector<std::string>& measured = {"h0", "h1", "h2", "h3", "h4"}) {
    placement.over_hosts = true;
    placement.size = 3;
    placement.hosts = {host_at("h0", 0, 1, 0), host_at("h1", 1, 1, 1), host_at("h2", 2, 1, 0),
                       host_at("h3", 3, 0, 1)};
    options.program = "program";
    options.exchange.outlives_ranks = true;
    options.profile_file = "net.json";
    known.emplace(measured_hosts(measured), placement, 1400);
  }

  StartUp start_up() {
    network::limit_rate(options, placement, &*known);
    StartUp made(options, placement, &*known);
    for (Rank rank = 0; rank < 3; ++rank)
      made.hello(rank, {.port = 7, .ciphers = {}});
    return made;
  }

  request::RunOptions options;
  places::Placement placement;
  std::optional<network::KnownNetwork> known;
};

TEST(NewcomersRate, is_that_of_the_host_on_which_it_really_runs) {
  PlacedJob job;
  const StartUp start_up = job.start_up();
  const job::Welcome welcome = start_up.welcome_newcomer(1, 3, false);
  EXPECT_FALSE(welcome.options.find_rate);
  EXPECT_DOUBLE_EQ(welcome.options.rate.value, 4.2e7);  // to h2
  ASSERT_EQ(welcome.paths.size(), 3U);
  ASSERT_TRUE(welcome.paths[0]);
  EXPECT_DOUBLE_EQ(welcome.paths[0]->loss, 0.03);
  EXPECT_DOUBLE_EQ(welcome.paths[0]->bandwidth.value, 4e7);
  EXPECT_DOUBLE_EQ(welcome.paths[2]->loss, 0.032);
  EXPECT_FALSE(welcome.paths[1]) << "nobody is on the lost host";
}

TEST(NewcomersRate, is_its_own_at_home_and_the_paths_lead_to_where_the_others_are_now) {
  PlacedJob job;
  StartUp start_up = job.start_up();
  start_up.hello_newcomer(2, 3, {.port = 9, .ciphers = {}});
  start_up.seat_newcomer(2);
  const job::Welcome welcome = start_up.welcome_newcomer(1, 1, false);
  EXPECT_DOUBLE_EQ(welcome.options.rate.value, 2.3e7);  // to h3
  EXPECT_DOUBLE_EQ(welcome.paths[0]->loss, 0.01);
  EXPECT_DOUBLE_EQ(welcome.paths[2]->loss, 0.013);
  EXPECT_FALSE(welcome.paths[1]);
}

TEST(NewcomersRate, has_no_path_to_a_rank_that_is_on_its_host_by_now) {
  PlacedJob job;
  StartUp start_up = job.start_up();
  start_up.hello_newcomer(2, 1, {.port = 9, .ciphers = {}});
  start_up.seat_newcomer(2);
  const job::Welcome welcome = start_up.welcome_newcomer(1, 1, false);
  EXPECT_FALSE(welcome.paths[2]);
  EXPECT_DOUBLE_EQ(welcome.options.rate.value, 2e7);  // to h0
}

TEST(NewcomersRate, is_in_the_profile_for_a_host_that_joins_if_that_has_its_name) {
  PlacedJob job;
  StartUp start_up = job.start_up();
  start_up.add_host(host_at("h4", 3, 1, 0));
  const job::Welcome welcome = start_up.welcome_newcomer(3, 4, false);
  EXPECT_FALSE(welcome.options.find_rate);
  EXPECT_DOUBLE_EQ(welcome.options.rate.value, 5.2e7);
  EXPECT_DOUBLE_EQ(welcome.paths[1]->loss, 0.041);
}

TEST(NewcomersRate, is_found_on_a_host_that_the_profile_does_not_know) {
  PlacedJob job;
  StartUp start_up = job.start_up();
  start_up.add_host(host_at("h9", 3, 1, 0));
  const job::Welcome welcome = start_up.welcome_newcomer(3, 4, false);
  EXPECT_TRUE(welcome.options.find_rate);
  EXPECT_EQ(welcome.options.rate, megabits_per_second(100));
  EXPECT_TRUE(welcome.paths.empty());
}

TEST(NewcomersRate, leads_from_others_to_a_host_that_the_profile_does_not_know_by_no_path) {
  PlacedJob job;
  StartUp start_up = job.start_up();
  start_up.add_host(host_at("h9", 3, 1, 0));
  start_up.hello_newcomer(3, 4, {.port = 9, .ciphers = {}});
  start_up.seat_newcomer(3);
  const job::Welcome welcome = start_up.welcome_newcomer(1, 3, false);
  EXPECT_FALSE(welcome.options.find_rate);
  ASSERT_EQ(welcome.paths.size(), 4U);
  EXPECT_TRUE(welcome.paths[2]);
  EXPECT_FALSE(welcome.paths[3]);
}

TEST(NewcomersRate, is_matched_by_order_where_the_hosts_at_the_start_were) {
  PlacedJob job({"a", "b", "c", "d"});
  StartUp start_up = job.start_up();
  EXPECT_DOUBLE_EQ(start_up.welcome_newcomer(1, 3, false).options.rate.value, 4.2e7);
  start_up.add_host(host_at("h9", 3, 1, 0));
  EXPECT_TRUE(start_up.welcome_newcomer(3, 4, false).options.find_rate);
}

TEST(NewcomersRate, is_what_the_user_has_told_for_all) {
  PlacedJob job;
  job.options.exchange.rate = megabits_per_second(7);
  job.options.rate_given = true;
  StartUp start_up = job.start_up();
  start_up.add_host(host_at("h9", 3, 1, 0));
  for (const auto& [rank, host] : {std::pair<Rank, std::size_t>{1, 3}, {3, 4}}) {
    const job::Welcome welcome = start_up.welcome_newcomer(rank, host, false);
    EXPECT_FALSE(welcome.options.find_rate);
    EXPECT_EQ(welcome.options.rate, megabits_per_second(7));
    for (const auto& path : welcome.paths)
      EXPECT_EQ(path.value_or(transport::PathForecast{}).bandwidth.value, 0);
  }
}

TEST(NewcomersRate, is_found_as_at_the_start_without_a_profile) {
  PlacedJob job;
  job.options.profile_file.clear();
  network::limit_rate(job.options, job.placement, nullptr);
  const StartUp start_up(job.options, job.placement, nullptr);
  const job::Welcome welcome = start_up.welcome_newcomer(1, 3, false);
  EXPECT_TRUE(welcome.options.find_rate);
  EXPECT_EQ(welcome.options.rate, megabits_per_second(100));
  EXPECT_TRUE(welcome.paths.empty());
}

TEST(FirstRate, is_found_on_a_host_of_which_the_profile_knows_no_path) {
  PlacedJob job;
  auto profile = measured_hosts({"h0", "h1", "h2", "h3"});
  std::erase_if(profile.pairs, [](const auto& pair) { return pair.from == 1; });
  job.known.emplace(profile, job.placement, 1400);
  const StartUp start_up = job.start_up();
  const auto told = [&](std::size_t place) {
    return start_up.welcome(start_up.spawns()[place], false).options;
  };
  EXPECT_DOUBLE_EQ(told(0).rate.value, 1.2e7);
  EXPECT_FALSE(told(0).find_rate);
  EXPECT_EQ(told(1).rate, megabits_per_second(100));
  EXPECT_TRUE(told(1).find_rate);
  EXPECT_DOUBLE_EQ(told(2).rate.value, 3.1e7);
}

TEST(FirstRate, is_no_more_than_a_pretended_network_has) {
  PlacedJob job;
  job.options.wan.emplace();
  job.options.wan->rate = megabits_per_second(20);
  StartUp start_up = job.start_up();
  start_up.add_host(host_at("h9", 3, 1, 0));
  const auto on = [&](Rank rank, std::size_t host) {
    return start_up.welcome_newcomer(rank, host, false).options;
  };
  EXPECT_EQ(on(1, 3).rate, megabits_per_second(20));
  EXPECT_EQ(on(3, 4).rate, megabits_per_second(20));
  EXPECT_FALSE(on(3, 4).find_rate);
}

TEST(FirstRate, of_the_paper_s_rounds_is_the_lowest_for_all) {
  PlacedJob job;
  job.options.exchange.outlives_ranks = false;
  job.options.exchange.recovery = transport::Recovery::rounds;
  const StartUp start_up = job.start_up();
  EXPECT_DOUBLE_EQ(start_up.welcome(start_up.spawns()[2], false).options.rate.value, 1.1e7);
}

TEST(FirstRate, of_a_rehearsal_goes_on_by_turns_with_who_joins) {
  PlacedJob job;
  job.placement.over_hosts = false;
  job.placement.hosts = {host_at("localhost", 0, 3, 0)};
  job.placement.hosts[0].address = "127.0.0.1";
  job.known.emplace(measured_hosts({"a", "b"}), job.placement, 1400);
  StartUp start_up = job.start_up();
  start_up.add_host(
      {.name = "localhost", .user = {}, .address = "127.0.0.1", .local = true, .first_rank = 3, .ranks = 1});
  const job::Welcome welcome = start_up.welcome_newcomer(3, 1, false);
  EXPECT_FALSE(welcome.options.find_rate);
  EXPECT_DOUBLE_EQ(welcome.options.rate.value, 2e7);
  EXPECT_TRUE(welcome.paths[0]);
  EXPECT_FALSE(welcome.paths[1]);
}

/// What the user is told, if his job cannot be.
std::string refused_rate(PlacedJob& job) {
  network::limit_rate(job.options, job.placement, job.known ? &*job.known : nullptr);
  try {
    network::require_enough_rate(job.options, job.placement, job.known ? &*job.known : nullptr);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(EnoughRate, is_what_writes_a_datagram_well_before_the_others_miss_the_rank) {
  PlacedJob job;
  job.options.exchange.find_datagram = true;
  job.options.rate_given = true;
  for (const double bytes_per_second : {1000.0, 200.0}) {
    job.options.exchange.rate = {bytes_per_second};
    EXPECT_EQ(refused_rate(job), "") << bytes_per_second;
  }
  job.options.exchange.rate = {150};
  EXPECT_EQ(
      refused_rate(job),
      "--rate: at 1.2 kbit/s a datagram of 1200 bytes takes 8 s, and a rank that is silent for 15 s is given up: "
      "give a higher one, or raise --peer-timeout");
  job.options.exchange.peer_timeout = std::chrono::seconds{20};
  EXPECT_EQ(refused_rate(job), "");
}

TEST(EnoughRate, is_each_rank_s_part_of_its_host_s) {
  PlacedJob job;
  job.options.rate_given = true;
  job.options.exchange.rate = {500};
  EXPECT_EQ(refused_rate(job), "");
  job.placement.hosts[2].ranks = 4;
  job.placement.size = 6;
  EXPECT_NE(refused_rate(job), "");
}

TEST(EnoughRate, is_looked_for_in_a_profile) {
  PlacedJob job;
  auto profile = measured_hosts({"h0", "h1", "h2", "h3"});
  for (auto& pair : profile.pairs)
    if (pair.from == 1) pair.bandwidth = 100;
  job.known.emplace(profile, job.placement, 1400);
  EXPECT_EQ(
      refused_rate(job),
      "net.json: host h1: at 800 bit/s a datagram of 1400 bytes takes 14 s, and a rank that is silent for 15 s is "
      "given up: measure again with lbsp probe, give --rate, or raise --peer-timeout");
}

TEST(EnoughRate, is_had_where_a_rate_is_found_and_where_no_rank_sends_another_datagrams) {
  PlacedJob finds;
  finds.known.reset();
  EXPECT_EQ(refused_rate(finds), "");
  PlacedJob alone;
  alone.options.rate_given = true;
  alone.options.exchange.rate = {0.125};
  EXPECT_NE(refused_rate(alone), "");
  alone.placement.size = 1;
  EXPECT_EQ(refused_rate(alone), "");
}

}  // namespace
}  // namespace lbsp::launch::ranks
