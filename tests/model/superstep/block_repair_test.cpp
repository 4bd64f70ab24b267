#include "model/superstep/block_repair.hpp"

#include <random>

#include "gtest/gtest.h"

#include "model/mathematics/special_functions.hpp"

namespace lbsp::model::superstep {
namespace {

BlockOutcome block_outcome(int data, int coded, double loss, double dispersion, const RepairRule& rule) {
  return BlockOutcomes({.loss = loss, .loss_after_loss = 1 - (1 - loss) * 2 / (dispersion + 1)}, rule)
      .of(data, coded);
}

TEST(BlockRepair, a_block_lacks_something_as_often_as_the_binomial_distribution_says) {
  for (const int data : {1, 10, 128}) {
    for (const int coded : {0, 1, 7, 20}) {
      for (const double loss : {0.01, 0.1, 0.4}) {
        const BlockOutcome outcome = block_outcome(data, coded, loss, 1, {});
        ASSERT_EQ(outcome.lacking_after.size(), static_cast<std::size_t>(coded) + 1);
        for (int i = 0; i <= coded; ++i) {
          const double exact = mathematics::binomial_more_than(data + i, loss, i);
          EXPECT_NEAR(outcome.lacking_after[static_cast<std::size_t>(i)], exact, 1e-7)
              << data << "+" << i << " of " << coded << ", loss " << loss;
        }
      }
    }
  }
}

TEST(BlockRepair, runs_of_losses_hit_some_blocks_hard) {
  const double alone = block_outcome(50, 12, 0.1, 1, {}).lacking_after.back();
  EXPECT_GT(block_outcome(50, 12, 0.1, 4, {}).lacking_after.back(), 3 * alone);
}

TEST(BlockRepair, sends_what_suffices_but_for_the_residual) {
  for (const double loss : {0.01, 0.1, 0.3}) {
    for (const double residual : {0.05, 0.02, 0.005}) {
      for (int lacking = 1; lacking <= 60; ++lacking) {
        const int sent = repairs_for({.first_residual = residual}, lacking, 0, loss);
        EXPECT_GE(sent, lacking);
        // The normal approximation is one or two segments off at most.
        EXPECT_LE(mathematics::binomial_more_than(sent + 1, loss, sent + 1 - lacking), residual * 1.2)
            << lacking << " lack, loss " << loss << ", residual " << residual;
        EXPECT_TRUE(sent <= lacking + 1 ||
                    mathematics::binomial_more_than(sent - 3, loss, sent - 3 - lacking) > residual)
            << lacking << " lack, loss " << loss << ", residual " << residual;
      }
    }
  }
}

TEST(BlockRepair, with_spare_segments_hardly_any_of_the_blocks_lacks_something) {
  const RepairRule rule{.spare_residual = 2e-3};
  for (const double blocks : {2., 12., 200.}) {
    const int most = most_coded_segments(rule, 100, blocks, 0.1, 1);
    EXPECT_LE(blocks * mathematics::binomial_more_than(100 + most, 0.1, most), 2e-3) << blocks << " blocks";
    EXPECT_GT(blocks * mathematics::binomial_more_than(99 + most, 0.1, most - 1), 2e-3)
        << blocks << " blocks";
    EXPECT_GT(most_coded_segments(rule, 100, blocks, 0.1, 3), most) << "runs of losses";
  }
  EXPECT_EQ(most_coded_segments(rule, 100, 2, 0, 1), 0);
  EXPECT_EQ(most_coded_segments({}, 100, 2, 0.1, 1), 0);
}

TEST(BlockRepair, follows_the_rule_of_the_first_repair_and_of_later_ones) {
  const RepairRule rule{.first_residual = 0.1, .later_residual = 0.001};
  EXPECT_EQ(repairs_for(rule, 1, 0, 0.1), 1);
  EXPECT_EQ(repairs_for(rule, 1, 1, 0.1), 3);
  EXPECT_EQ(repairs_for(rule, 1, 2, 0.1), 3);
}

TEST(BlockRepair, is_the_chain_of_lacks_played_with_dice) {
  constexpr int data = 20;
  constexpr int coded = 2;
  constexpr double loss = 0.2;
  const RepairRule rule{.first_residual = 0.1, .later_residual = 0.05};
  std::mt19937_64 random(3);
  const auto arrive = [&](int sent) {
    return static_cast<int>(std::binomial_distribution<int>(sent, 1 - loss)(random));
  };
  double lacking = 0;
  double sends = 0;
  double still = 0;
  constexpr int runs = 100'000;
  for (int run = 0; run < runs; ++run) {
    const int lack = data - arrive(data + coded);
    if (lack <= 0) continue;
    lacking += 1;
    const int sent = repairs_for(rule, lack, 0, loss);
    sends += sent;
    if (arrive(sent) < lack) still += 1;
  }
  const BlockOutcome outcome = block_outcome(data, coded, loss, 1, rule);
  EXPECT_NEAR(outcome.lacking_after.back(), lacking / runs, 0.01);
  EXPECT_NEAR(outcome.repairs[0].sends, sends / lacking, 0.03);
  EXPECT_NEAR(outcome.repairs[0].still, still / lacking, 0.005);
}

TEST(BlockRepair, without_loss_there_is_nothing_to_repair) {
  EXPECT_EQ(block_outcome(10, 3, 0, 1, {}).lacking_after.front(), 0);
  EXPECT_EQ(repairs_for({.first_residual = 0.01}, 5, 0, 0), 5);
}

}  // namespace
}  // namespace lbsp::model::superstep
