#include "transport/paths/loss_estimate.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <utility>

#include "transport/impairment/random.hpp"

namespace lbsp::transport {
namespace {

double fraction(std::uint16_t value) {
  return value / 65535.0;
}

/// Lets datagrams pass a path whose losses come in runs: after a lost one, the next is lost with
/// `loss_after_loss`.
LossReport measured(double loss, double loss_after_loss, int datagrams) {
  Random random(7);
  LossEstimate estimate;
  const double loss_after_arrival = loss * (1 - loss_after_loss) / (1 - loss);
  std::uint64_t gap = 0;
  bool lost = false;
  for (int i = 0; i < datagrams; ++i) {
    lost = random.unit() < (lost ? loss_after_loss : loss_after_arrival);
    if (lost) {
      ++gap;
    } else {
      estimate.newest_arrived(std::exchange(gap, 0));
    }
  }
  return estimate.report();
}

TEST(LossEstimate, of_nothing_is_nothing) {
  EXPECT_EQ(LossEstimate().report(), (LossReport{0, 0}));
}

TEST(LossEstimate, counts_few_datagrams_nearly_alike) {
  LossEstimate estimate;
  estimate.newest_arrived(0);
  estimate.newest_arrived(2);  // a run of two lost, and one that follows it and is there
  EXPECT_NEAR(fraction(estimate.report().loss), 0.5, 0.001);
  EXPECT_NEAR(fraction(estimate.report().loss_after_loss), 0.5, 0.001);
}

TEST(LossEstimate, takes_no_more_to_be_lost_than_it_is_told) {
  LossEstimate estimate;
  for (int i = 0; i < 20; ++i)
    estimate.newest_arrived(3);
  estimate.limit(0.1);
  EXPECT_NEAR(fraction(estimate.report().loss), 0.1, 0.001);
  EXPECT_NEAR(fraction(estimate.report().loss_after_loss), 2. / 3, 0.001);
  estimate.limit(0.2);
  EXPECT_NEAR(fraction(estimate.report().loss), 0.1, 0.001);
}

TEST(LossEstimate, once_doubted_soon_follows_what_comes_then) {
  LossEstimate estimate;
  for (int i = 0; i < 200; ++i)
    estimate.newest_arrived(1);
  estimate.doubt(8);
  EXPECT_NEAR(fraction(estimate.report().loss), 0.5, 0.001) << "nothing else is known yet";
  for (int i = 0; i < 72; ++i)
    estimate.newest_arrived(0);
  EXPECT_NEAR(fraction(estimate.report().loss), 4. / 80, 0.002);
}

TEST(LossEstimate, forgives_what_was_only_late) {
  LossEstimate estimate;
  for (int i = 0; i < 9; ++i)
    estimate.newest_arrived(0);
  estimate.newest_arrived(1);
  estimate.late_arrived();
  EXPECT_NEAR(fraction(estimate.report().loss), 0, 0.001);
  EXPECT_EQ(estimate.report().loss_after_loss, 0);
}

TEST(LossEstimate, of_a_run_of_which_one_was_only_late_keeps_the_rest) {
  LossEstimate estimate;
  estimate.newest_arrived(2);
  estimate.newest_arrived(0);
  estimate.late_arrived();  // one of four is lost; of the two that followed a loss, one was
  EXPECT_NEAR(fraction(estimate.report().loss), 0.25, 0.001);
  EXPECT_NEAR(fraction(estimate.report().loss_after_loss), 0.5, 0.001);
}

TEST(LossEstimate, finds_the_loss_and_its_bursts) {
  for (const double loss : {0.02, 0.1, 0.3}) {
    for (const double after : {loss, 0.6}) {
      const LossReport report = measured(loss, after, 20'000);
      // 2000 datagrams weigh: three standard deviations, widened by what the bursts leave of them.
      const double runs = (1 + after) / (1 - after);
      EXPECT_NEAR(fraction(report.loss), loss, 3 * std::sqrt(loss * (1 - loss) * runs / 2000));
      EXPECT_NEAR(fraction(report.loss_after_loss), after,
                  3 * std::sqrt(after * (1 - after) / (2000 * loss)));
    }
  }
}

TEST(LossEstimate, forgets_an_old_network) {
  LossEstimate estimate;
  for (int i = 0; i < 5000; ++i)
    estimate.newest_arrived(1);
  for (int i = 0; i < 10'000; ++i)
    estimate.newest_arrived(0);
  EXPECT_LT(fraction(estimate.report().loss), 0.01);
}

TEST(LossEstimate, does_not_let_one_interruption_outweigh_everything) {
  LossEstimate estimate;
  for (int i = 0; i < 5000; ++i)
    estimate.newest_arrived(0);
  estimate.newest_arrived(std::uint64_t{1} << 40);
  EXPECT_LT(fraction(estimate.report().loss), 0.5);
}

TEST(PathForecastWithPrior, moves_from_the_prior_to_what_is_measured) {
  const PathForecast prior = default_prior();
  const LossReport lossless{0, 0};
  EXPECT_DOUBLE_EQ(with_prior(lossless, 0, prior).loss, 0.05);
  EXPECT_NEAR(with_prior(lossless, 20, prior).loss, 0.025, 1e-12);
  EXPECT_LT(with_prior(lossless, 2000, prior).loss, 0.001);
  const LossReport bursts{6554, 32768};  // 10 %, half of them followed by another
  EXPECT_NEAR(with_prior(bursts, 2000, prior).loss, 0.0996, 1e-3);
  EXPECT_NEAR(with_prior(bursts, 2000, prior).loss_after_loss, 0.48, 0.01);
}

TEST(PathForecastWithPrior, takes_few_losses_for_independent) {
  PathForecast prior = default_prior();
  const LossReport one_run{32768, 32768};  // of four datagrams
  const PathForecast path = with_prior(one_run, 4, prior);
  EXPECT_NEAR(path.loss_after_loss, path.loss, 0.1);
}

TEST(PriorWithPast, knows_a_path_that_has_long_lost_nothing) {
  constexpr LossReport lossless{0, 0};
  const PathForecast prior = default_prior();
  EXPECT_DOUBLE_EQ(prior_with_past(prior, lossless, 2000, 0).loss, prior.loss);
  const PathForecast known = prior_with_past(prior, lossless, 1'002'000, 0);
  EXPECT_NEAR(known.loss, 1e-6, 1e-8);
  EXPECT_NEAR(known.loss_after_loss, 1e-6, 1e-8);
  EXPECT_EQ(known.loss_sample, prior.loss_sample);
  // One in ten thousand.
  EXPECT_NEAR(prior_with_past(prior, lossless, 1'002'000, 100).loss, 1e-4, 1e-5);
}

TEST(PriorWithPast, does_not_hold_a_bad_past_against_a_path) {
  const PathForecast prior = default_prior();
  EXPECT_DOUBLE_EQ(prior_with_past(prior, {0, 0}, 1'000'000, 200'000).loss, prior.loss);
  // Nor does it count twice what the report still tells.
  EXPECT_NEAR(prior_with_past(prior, {65535, 65535}, 1'002'000, 2000).loss, 1e-6, 1e-8);
}

/// Of `lossless` paths and one that loses a tenth, with so many datagrams each.
SharedLoss shared_loss(int lossless, std::uint64_t sample, std::uint64_t sample_of_tenth) {
  SharedLoss shared;
  for (int i = 0; i < lossless; ++i)
    shared.add({0, 0}, sample);
  shared.add({6554, 6554}, sample_of_tenth);
  return shared;
}

TEST(LossEstimate, a_gap_fades_what_was_before_by_all_its_datagrams) {
  LossEstimate estimate;
  for (int i = 0; i < 1000; ++i)
    estimate.newest_arrived(0);
  estimate.newest_arrived(500);
  const double kept = 1 - 1 / LossEstimate::memory;
  const double before = (1 - std::pow(kept, 1000)) * LossEstimate::memory * std::pow(kept, 501);
  EXPECT_NEAR(fraction(estimate.report().loss), 500 / (before + 501), 2e-5);
}

TEST(LossEstimate, keeps_the_priors_dependence_until_losses_were_followed) {
  PathForecast prior;
  prior.loss = 0.1;
  prior.loss_after_loss = 0.6;
  prior.loss_sample = 0;
  const LossReport half{32768, 65535};
  EXPECT_NEAR(with_prior(half, 0, prior).loss_after_loss, 0.5, 1e-9)
      << "0.5 more than the loss, which is not known";
  EXPECT_NEAR(with_prior(half, 1, prior).loss, 0.5, 1e-4) << "a prior of no datagrams";
  prior.loss_after_loss = 0.9;
  EXPECT_NEAR(with_prior(half, 2000, prior).loss_after_loss, 1, 1e-9);
}

TEST(LossEstimate, weighs_the_losses_that_were_followed_as_those_of_the_prior_and_ten) {
  PathForecast prior;
  prior.loss = prior.loss_after_loss = 0.5;
  prior.loss_sample = 100;
  EXPECT_NEAR(with_prior({32768, 65535}, 120, prior).loss_after_loss, 0.75, 1e-4);
}

TEST(SharedLoss, makes_the_other_paths_a_paths_prior) {
  const LossReport lossless{0, 0};
  const LossReport tenth{6554, 6554};
  const SharedLoss shared = shared_loss(3, 60, 60);
  EXPECT_NEAR(shared.prior_beside(tenth, 60).loss, 1 / 200., 1e-9);
  EXPECT_NEAR(shared.prior_beside(lossless, 60).loss, (1 + 6) / 200., 1e-4);
  EXPECT_EQ(shared.prior_beside(tenth, 60).loss_sample, default_prior().loss_sample);
}

TEST(SharedLoss, is_the_default_where_there_is_no_other_path) {
  const LossReport lossless{0, 0};
  SharedLoss shared;
  shared.add(lossless, 5000);
  EXPECT_DOUBLE_EQ(shared.prior_beside(lossless, 5000).loss, default_prior().loss);
  EXPECT_DOUBLE_EQ(shared.prior_beside(lossless, 5000).loss_after_loss, default_prior().loss);
}

/// With the mean of the distribution alone, 1 / (20 + n), copies went to paths that lose nothing for thousands of
/// datagrams.
TEST(SharedLoss, doubts_that_paths_lose_anything_where_nothing_is_lost) {
  SharedLoss shared;
  EXPECT_DOUBLE_EQ(shared.loses_anything(), 1);
  shared.add({}, 38);
  EXPECT_DOUBLE_EQ(shared.loses_anything(), 0.5);
  for (int path = 0; path < 6; ++path)
    shared.add({}, 38);
  EXPECT_NEAR(shared.loses_anything(), 1 / 8., 1e-9);
  shared.add({}, 38);
  EXPECT_DOUBLE_EQ(shared.loses_anything(), 0);
  shared.add({.loss = UINT16_MAX / 100, .loss_after_loss = 0}, 100);
  EXPECT_DOUBLE_EQ(shared.loses_anything(), 1);
}

TEST(SharedLoss, does_not_hide_what_a_path_itself_has_shown) {
  const LossReport tenth{6554, 6554};
  const SharedLoss shared = shared_loss(7, 2000, 200);
  EXPECT_NEAR(with_prior(tenth, 200, shared.prior_beside(tenth, 200)).loss, 0.1, 0.01);
}

}  // namespace
}  // namespace lbsp::transport
