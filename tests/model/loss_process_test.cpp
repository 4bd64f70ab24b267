#include "model/loss_process.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/rounds.hpp"

namespace lbsp::model {
namespace {

TEST(LossProcess, has_the_loss_and_the_bursts_it_was_made_for) {
  const auto path = GilbertElliott::from_burst(0.1, 4);
  EXPECT_NEAR(path.loss(), 0.1, 1e-15);
  EXPECT_NEAR(path.loss_after_loss(1), 0.75, 1e-15);  // a burst goes on with 1 - 1/4
  EXPECT_NEAR(path.loss_after_loss(1000), 0.1, 1e-12);
}

TEST(LossProcess, is_independent_for_bursts_of_chance) {
  const auto path = GilbertElliott::from_burst(0.2, 1 / 0.8);
  EXPECT_NEAR(path.all_lost(3, 1), 0.008, 1e-15);
  EXPECT_NEAR(path.all_lost(3, 7), 0.008, 1e-15);
}

TEST(LossProcess, loses_all_copies_as_often_as_a_simulated_path) {
  const GilbertElliott path{0.05, 0.3, 0.02, 0.6};
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  constexpr int slots = 2'000'000;
  std::vector<bool> lost;
  bool bad = false;
  for (int slot = 0; slot < slots; ++slot) {
    lost.push_back(uniform(random) < (bad ? path.bad_loss : path.good_loss));
    bad = bad ? uniform(random) >= path.to_good : uniform(random) < path.to_bad;
  }
  for (const int spacing : {1, 3}) {
    double all = 0;
    for (std::size_t slot = 0; slot + 6 < lost.size(); ++slot)
      all += lost[slot] && lost[slot + static_cast<std::size_t>(spacing)] &&
             lost[slot + 2 * static_cast<std::size_t>(spacing)];
    EXPECT_NEAR(all / slots, path.all_lost(3, spacing), 0.04 * path.all_lost(3, spacing)) << spacing;
  }
}

TEST(LossProcess, makes_copies_worth_less_the_closer_they_are) {
  const auto path = GilbertElliott::from_burst(0.05, 3);
  EXPECT_GT(path.all_lost(3, 1), path.all_lost(3, 4));
  EXPECT_GT(path.all_lost(3, 4), 0.05 * 0.05 * 0.05);
}

TEST(LossProcess, gives_every_formula_the_loss_that_independent_copies_would_need) {
  EXPECT_NEAR(all_copies_lost(0.1, 0.1, 4), 1e-4, 1e-18);
  EXPECT_NEAR(all_copies_lost(0.1, 0.5, 3), 0.025, 1e-16);
  const double loss = equivalent_loss(0.025, 3);
  EXPECT_NEAR(expected_rounds(Scheme::receiver, loss, 3, 1).minus_one, 0.025 / 0.975, 1e-14);
}

TEST(LossProcess, refuses_bursts_that_no_process_has) {
  EXPECT_THROW(GilbertElliott::from_burst(0.1, 0.5), std::invalid_argument);
  EXPECT_THROW(GilbertElliott::from_burst(0.9, 2), std::invalid_argument);
  EXPECT_THROW(GilbertElliott::from_burst(1, 2), std::invalid_argument);
  EXPECT_THROW(all_copies_lost(0.1, 1, 2), std::invalid_argument);
  EXPECT_THROW(equivalent_loss(0.1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model
