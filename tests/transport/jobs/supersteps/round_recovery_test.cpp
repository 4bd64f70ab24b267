#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"

/// The paper's two schemes, which resend in rounds.
namespace lbsp::transport::testing {
namespace {

class RoundRecovery : public ::testing::TestWithParam<Recovery> {
 protected:
  static ExchangeOptions options(int copies = 1) {
    ExchangeOptions chosen;
    chosen.recovery = GetParam();
    chosen.copies = copies;
    return chosen;
  }

  /// Supersteps without loss, so that the round trip is known.
  static void warm_up(ScriptedNetwork& network) {
    for (int i = 0; i < 5; ++i)
      superstep(network, nothing);
  }
};

TEST_P(RoundRecovery, without_loss_a_superstep_takes_one_round_of_two_tau) {
  ScriptedNetwork network(2, options());
  warm_up(network);
  EXPECT_NEAR(milliseconds(superstep(network, nothing)), 40, 1.0);
  EXPECT_EQ(network[0].counters().rounds, 6u);
}

TEST_P(RoundRecovery, a_lost_segment_costs_one_round_more) {
  ScriptedNetwork network(2, options());
  warm_up(network);
  network.lose = [](const Passing& passing) { return is_data(passing) && passing.index == 5; };
  EXPECT_NEAR(milliseconds(superstep(network, nothing)), 80, 2.0);
}

TEST_P(RoundRecovery, a_lost_acknowledgement_costs_one_round_more) {
  ScriptedNetwork network(2, options());
  warm_up(network);
  network.lose = [](const Passing& passing) {
    return passing.header.kind == DatagramKind::ack && passing.header.source == 1 && passing.index == 5;
  };
  EXPECT_NEAR(milliseconds(superstep(network, nothing)), 80, 2.0);
}

TEST_P(RoundRecovery, sends_again_what_its_scheme_says) {
  ScriptedNetwork network(2, options());
  warm_up(network);
  network.lose = [](const Passing& passing) {
    return is_data(passing) && passing.header.source == 0 && passing.index == 6;
  };
  superstep(network, [](Rank from, Rank to) { return patterned(from, to, 11'900); });  // 9 segments
  EXPECT_EQ(network[0].counters().segments_resent, GetParam() == Recovery::rounds ? 1u : 9u);
}

TEST_P(RoundRecovery, k_copies_of_data_and_acknowledgements_mask_losses) {
  ScriptedNetwork network(2, options(2));
  warm_up(network);
  network.lose = [](const Passing& passing) { return passing.index % 2 == 0; };
  EXPECT_NEAR(milliseconds(superstep(network, nothing)), 40, 1.0);
}

TEST_P(RoundRecovery, who_has_not_begun_yet_acknowledges_k_times) {
  ExchangeOptions options;
  options.recovery = GetParam();
  options.copies = 3;
  ScriptedNetwork network(2, options);
  network.begin_exchange(0, nothing);
  network.run_for(50ms);
  EXPECT_EQ(network.sent(DatagramKind::ack), 3);
}

TEST_P(RoundRecovery, who_only_receives_in_a_leg_acknowledges_k_times) {
  ExchangeOptions options;
  options.recovery = GetParam();
  options.copies = 3;
  ScriptedNetwork network(2, options);
  superstep(network, nothing);
  const int before = network.sent(DatagramKind::ack);
  std::vector<Bytes> outgoing(2);
  outgoing[1] = patterned(0, 1, 100);
  network[1].begin_reply(std::vector<Bytes>(2), {}, {0}, network.now());
  network[0].begin_reply(std::move(outgoing), {1}, {}, network.now());
  EXPECT_TRUE(network.run_exchange());
  EXPECT_EQ(network.sent(DatagramKind::ack) - before, 3);
}

TEST_P(RoundRecovery, ends_in_order) {
  ExchangeOptions options;
  options.recovery = GetParam();
  ScriptedNetwork network(3, options);
  network.lose = [](const Passing& passing) { return passing.header.packet_number % 17 == 1; };
  for (int i = 0; i < 3; ++i)
    superstep(network, [](Rank from, Rank to) { return patterned(from, to, 3000); });
  for (Rank rank = 0; rank < 3; ++rank)
    network[rank].begin_finish(network.now());
  EXPECT_TRUE(network.run_until([&] { return network.all(&Endpoint::finished); }, 4s));
}

INSTANTIATE_TEST_SUITE_P(Schemes, RoundRecovery, ::testing::Values(Recovery::rounds, Recovery::whole_round),
                         [](const auto& instance) {
                           return instance.param == Recovery::rounds ? "rounds" : "whole_round";
                         });

}  // namespace
}  // namespace lbsp::transport::testing
