#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"

/// What ends the rounds of the paper's schemes that never succeed, and what is said of it.
namespace lbsp::transport::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

ExchangeOptions whole_rounds(Duration patience) {
  ExchangeOptions options;
  options.recovery = Recovery::whole_round;
  options.peer_timeout = patience;
  return options;
}

/// Loses another segment of rank 0's message in each round, so that each arrives in some round.
std::function<bool(const Passing&)> lose_one_in_each_round_of(int segments) {
  return [segments](const Passing& passing) {
    return is_data(passing) && passing.header.source == 0 &&
           passing.index / segments % segments == passing.index % segments;
  };
}

TEST(WholeRounds, that_never_succeed_end_with_the_loss_and_how_much_a_round_has) {
  ScriptedNetwork network(2, whole_rounds(2s));
  network.lose = lose_one_in_each_round_of(20);
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, from == 0 ? 26'000 : 0); });
  EXPECT_TRUE(network.run_until([&] { return network[0].failure().has_value(); }, 5min));
  ASSERT_TRUE(network[0].failure());
  EXPECT_THAT(
      network[0].failure()->message,
      AllOf(HasSubstr("20 of 20 segments are acknowledged"),
            ContainsRegex(" rounds of 20 segments have each lost something .of what goes to it, [45]\\."),
            HasSubstr("try --recovery receiver"), Not(HasSubstr("too large"))));
}

TEST(WholeRounds, that_take_long_may_still_succeed) {
  ScriptedNetwork network(2, whole_rounds(1s));
  const auto lose = lose_one_in_each_round_of(20);
  network.lose = [&](const Passing& passing) { return passing.index < 20 * 400 && lose(passing); };
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, from == 0 ? 26'000 : 0); });
  EXPECT_TRUE(network.run_exchange(10min));
}

/// The round trip grew since the leg began: rounds grow with it.
TEST(WholeRounds, whose_acknowledgements_come_late_become_longer) {
  ScriptedNetwork network(2, whole_rounds(5s));
  for (int i = 0; i < 5; ++i)
    superstep(network, nothing);
  network.set_delay(400ms);
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 2000); });
  EXPECT_TRUE(network.run_exchange(10s));
}

TEST(WholeRounds, are_not_said_to_be_too_large_for_a_path_that_took_such_datagrams) {
  ScriptedNetwork network(2, whole_rounds(2s));
  superstep(network, [](Rank from, Rank to) { return patterned(from, to, 10'000); });
  network.lose = [](const Passing& passing) { return is_data(passing) && passing.header.source == 0; };
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 10'000); });
  EXPECT_TRUE(network.run_until([&] { return network[0].failure().has_value(); }, 10s));
  ASSERT_TRUE(network[0].failure());
  EXPECT_THAT(network[0].failure()->message,
              AllOf(HasSubstr("0 of 8 segments are acknowledged"), HasSubstr("a full receive buffer"),
                    Not(HasSubstr("too large"))));
}

}  // namespace
}  // namespace lbsp::transport::testing
