#include "transport/finder/usual_path.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

constexpr RateEpoch that_queued{.loss = 0.1, .stretch = 1.25, .stretch_error = 0.02, .delay = 10e-3};

TEST(UsualPath, carries_what_arrives_beside_the_usual_loss) {
  const UsualPath path(0.1, true);
  EXPECT_NEAR(path.carried({.loss = 0.1}).part, 1, 1e-12);
  EXPECT_NEAR(path.carried({.loss = 0.05}).part, 1, 1e-12) << "no more than was sent";
  EXPECT_NEAR(path.carried({.loss = 0.55, .loss_error = 0.09}).part, 0.5, 1e-12);
  EXPECT_NEAR(path.carried({.loss = 0.55, .loss_error = 0.09}).error, 0.1, 1e-12);
  EXPECT_NEAR(path.carried({.loss = 0.5}, 0).part, 0.5, 1e-12);
}

TEST(UsualPath, carries_less_where_what_arrives_takes_longer) {
  const UsualPath path(0.1, true);
  EXPECT_NEAR(path.carried(that_queued).part, 0.8, 1e-12);
  EXPECT_NEAR(path.carried(that_queued).error, 0.8 * 0.02 / 1.25, 1e-12);
  EXPECT_NEAR(path.carried_at_most(that_queued), 1 / (1.25 - 3 * 0.02), 1e-12);
}

TEST(UsualPath, may_carry_what_runs_of_losses_hide) {
  const UsualPath path(0, true);
  EXPECT_NEAR(path.carried_at_most({.loss = 0.2, .loss_error = 0.05}), 0.9, 1e-12);
}

TEST(UsualPath, has_no_queue_where_delays_grow_as_usual) {
  UsualPath path(0, true);
  EXPECT_TRUE(path.queued({.delay = 3e-3}));
  EXPECT_FALSE(path.queued({.delay = 1.9e-3})) << "noise";
  path.prove_delay(10e-3);
  EXPECT_FALSE(path.queued({.delay = 12e-3}));
  EXPECT_TRUE(path.queued({.delay = 13e-3}));
}

TEST(UsualPath, has_no_queue_for_long_after_sixteen_epochs) {
  UsualPath path(0, true);
  EXPECT_TRUE(path.no_queue()) << "none has been seen";
  path.note(that_queued);
  for (int i = 0; i < 17; ++i) {
    EXPECT_FALSE(path.no_queue()) << i;
    path.note({});
  }
  EXPECT_TRUE(path.no_queue());
}

TEST(UsualPath, learns_a_quarter_of_what_is_new_and_no_more_than_is_proven) {
  UsualPath told(0.02, true);
  told.learn({.loss = 0.1}, true);
  EXPECT_NEAR(told.loss(), 0.02, 1e-12) << "a told rate may be too high";
  told.learn({.loss = 0}, true);
  EXPECT_NEAR(told.loss(), 0.015, 1e-12);
  UsualPath found(0.02, false);
  found.learn({.loss = 0.1}, false);
  EXPECT_NEAR(found.loss(), 0.02, 1e-12);
  found.learn({.loss = 0.1}, true);
  EXPECT_NEAR(found.loss(), 0.04, 1e-12);
  for (int i = 0; i < 100; ++i)
    found.learn({.loss = 0.8}, true);
  EXPECT_NEAR(found.loss(), HeavyLoss::least, 1e-12);
}

TEST(UsualPath, loses_what_trials_have_shown) {
  UsualPath path(0, true);
  path.prove(0.2, false);
  EXPECT_NEAR(path.loss(), 0.2, 1e-12);
  path.prove(0.5, false);
  EXPECT_NEAR(path.loss(), HeavyLoss::least, 1e-12);
  path.prove(0.5, true);
  EXPECT_NEAR(path.loss(), 0.5, 1e-12);
  path.loses_at_most(0.1);
  path.doubt_above(0.2);
  for (int i = 0; i < 100; ++i)
    path.learn({.loss = 0.5}, true);
  EXPECT_NEAR(path.loss(), 0.2, 1e-12);
  path.loses_at_least(0.3);
  EXPECT_NEAR(path.loss(), 0.3, 1e-12);
}

}  // namespace
}  // namespace lbsp::transport
