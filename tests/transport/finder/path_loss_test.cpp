#include "transport/finder/path_loss.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace lbsp::transport {
namespace {

LossMean mean_of(const std::vector<double>& losses, double expected) {
  LossMean mean;
  for (const double loss : losses)
    mean.add({.loss = loss, .loss_error = expected});
  return mean;
}

TEST(LossMean, of_few_epochs_has_the_error_that_each_expects) {
  const LossMean mean = mean_of({0.1, 0.1}, 0.02);
  EXPECT_DOUBLE_EQ(mean.loss, 0.1);
  EXPECT_GT(mean.error(), 0.01);
}

/// What is expected lags behind what others do.
TEST(LossMean, of_more_epochs_has_the_error_by_which_they_vary) {
  EXPECT_NEAR(mean_of({0.02, 0.2, 0.02, 0.2, 0.02, 0.2, 0.02, 0.2}, 0.01).error(), 0.127 / 2.83, 0.01);
  EXPECT_LT(mean_of({0, 0, 0, 0}, 0.02).error(), 0.003);
}

TEST(LossMean, that_becomes_more_and_more_is_no_chance) {
  EXPECT_LT(mean_of({0, 0.03, 0.06, 0.09}, 0.02).error(), 0.012);
}

TEST(LossMean, of_two_weighs_them_by_their_epochs) {
  LossMean both = mean_of({0.1, 0.1, 0.1}, 0.02);
  both.add(mean_of({0.2}, 0.02));
  EXPECT_DOUBLE_EQ(both.loss, 0.125);
}

TEST(RecentLoss, begins_anew_where_others_come_or_go) {
  RecentLoss recent;
  for (const double loss : {0., 0., 0.4, 0.41})
    recent.add({.loss = loss, .loss_error = 0.03});
  EXPECT_FALSE(recent.full());
  EXPECT_DOUBLE_EQ(recent.mean().loss, 0.405);
}

TEST(PathLoss, is_not_learnt_little_by_little_from_what_others_drop) {
  PathLoss own;
  own.seen = mean_of({0.1, 0.11, 0.09, 0.1}, 0.02);
  own.limit();
  for (int epoch = 0; epoch < 200; ++epoch)
    own.take({.loss = 0.13, .loss_error = 0.02});
  EXPECT_LT(own.seen.loss, 0.125);
}

}  // namespace
}  // namespace lbsp::transport
