// How jobs end: well, by an abort, and with a peer that is silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"

namespace lbsp::transport::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* reason = "the matrix is singular";

void expect_rank_2_lost(const Endpoint& endpoint, const std::string& message) {
  ASSERT_TRUE(endpoint.failure());
  EXPECT_EQ(endpoint.failure()->kind, Failure::Kind::peer_lost);
  EXPECT_EQ(endpoint.failure()->rank, 2);
  EXPECT_THAT(endpoint.failure()->message, HasSubstr(message));
}

/// By rank 1, for the reason above.
void expect_aborted(const Endpoint& endpoint) {
  ASSERT_TRUE(endpoint.failure());
  EXPECT_EQ(endpoint.failure()->kind, Failure::Kind::aborted);
  EXPECT_EQ(endpoint.failure()->message, std::string("rank 1 ended the job: ") + reason);
}

TEST(EndOfJob, a_silent_peer_ends_the_exchange_on_every_rank_with_its_name) {
  ScriptedNetwork network(3, {.peer_timeout = 5s});
  superstep(network, nothing);
  network.cut_off(2);
  network.begin_exchange(nothing);
  EXPECT_TRUE(network.run_until([&] { return network[0].failure() && network[1].failure(); }, 6s));
  for (const Rank rank : {0, 1})
    expect_rank_2_lost(network[rank], "rank 2 was last heard 5.0 s ago, in superstep 1");
}

TEST(EndOfJob, the_word_of_a_rank_that_hears_nobody_is_about_itself_on_every_rank_that_hears_it) {
  ScriptedNetwork network(4, {.peer_timeout = 5s});
  superstep(network, nothing);
  network.lose = [](const Passing& passing) { return passing.header.destination == 2; };
  network.begin_exchange(nothing);
  network.run_for(7s);
  for (Rank rank = 0; rank < 4; ++rank)
    expect_rank_2_lost(network[rank], "rank 2 has heard none of the other 3 ranks for 5.0 s");
}

TEST(EndOfJob, a_rank_that_computes_for_long_is_not_silent) {
  ScriptedNetwork network(2, {.peer_timeout = 2s});
  superstep(network, nothing);
  network.begin_exchange(0, nothing);
  network.run_for(20s);
  EXPECT_FALSE(network[0].failure().has_value());
  network.begin_exchange(1, nothing);
  EXPECT_TRUE(network.run_exchange());
}

TEST(EndOfJob, an_abort_reaches_the_others_with_its_reason) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  network.begin_exchange(nothing);
  network[1].abort(reason, network.now());
  network.lose = [](const Passing& passing) { return passing.index == 0; };
  network.run_for(1s);
  for (const Rank rank : {0, 2})
    expect_aborted(network[rank]);
}

TEST(EndOfJob, an_abort_that_one_rank_never_hears_from_its_source_reaches_it_through_the_others) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  network.begin_exchange(nothing);
  network.lose = [](const Passing& passing) {
    return passing.header.source == 1 && passing.header.destination == 2;
  };
  network[1].abort(reason, network.now());
  network.run_for(1s);
  expect_aborted(network[2]);
}

TEST(EndOfJob, nobody_leaves_while_another_needs_its_last_message) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  network.begin_exchange(nothing);
  int lost = 0;
  network.lose = [&](const Passing& passing) {
    const bool last = is_data(passing) && passing.header.source == 0 && passing.header.destination == 1;
    return last && lost++ < 6;
  };
  EXPECT_TRUE(network.run_until([&] { return network[0].exchange_complete(); }, 10s));
  network[0].begin_finish(network.now());
  EXPECT_TRUE(network.run_until([&] { return network[1].exchange_complete(); }, 10s)) << "rank 0 must go on";
  EXPECT_FALSE(network[0].finished());
  network[1].begin_finish(network.now());
  network[2].begin_finish(network.now());
  EXPECT_TRUE(network.run_until([&] { return network.all(&Endpoint::finished); }, 2s));
}

TEST(EndOfJob, the_end_is_bounded_though_every_farewell_is_lost) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  network.lose = [](const Passing&) { return true; };
  for (Rank rank = 0; rank < 3; ++rank)
    network[rank].begin_finish(network.now());
  EXPECT_TRUE(network.run_until([&] { return network.all(&Endpoint::finished); }, 19s));
}

TEST(EndOfJob, an_end_without_loss_takes_little_more_than_a_round_trip) {
  ScriptedNetwork network(3, {});
  for (int i = 0; i < 5; ++i)
    superstep(network, nothing);
  const Instant begin = network.now();
  for (Rank rank = 0; rank < 3; ++rank)
    network[rank].begin_finish(network.now());
  EXPECT_TRUE(network.run_until([&] { return network.all(&Endpoint::finished); }, 4s));
  EXPECT_LE(network.now() - begin, 25ms);
}

}  // namespace
}  // namespace lbsp::transport::testing
