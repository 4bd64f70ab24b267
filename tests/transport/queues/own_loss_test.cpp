#include "transport/queues/own_loss.hpp"

#include <gtest/gtest.h>

#include "tests/transport/queues/queue_seen.hpp"

namespace lbsp::transport {
namespace {

TEST(OwnLoss, is_what_is_usual_until_more_is_known) {
  OwnLoss loss;
  EXPECT_FALSE(loss.known());
  loss.begin(0.05);
  loss.begin(0.2);
  EXPECT_TRUE(loss.known());
  EXPECT_EQ(loss.value(), 0.05);
}

TEST(OwnLoss, is_that_of_datagrams_that_meet_no_queue) {
  OwnLoss loss;
  loss.begin(0.05);
  for (int i = 0; i < 50; ++i) {
    loss.note(seen(0, 0, 0.1), true);
    loss.note(seen(10e-3, 0, 0.3), false);
  }
  EXPECT_NEAR(loss.value(), 0.1, 1e-3);
  EXPECT_NEAR(loss.excess(seen(10e-3, 0, 0.28)), 0.2, 1e-3);
}

/// Most of what is sent into a full queue is dropped, and who has never seen it empty takes it for a part of the path.
TEST(OwnLoss, is_no_more_than_three_tenths_unless_more_is_usual) {
  OwnLoss loss;
  loss.begin(0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.9), true);
  EXPECT_NEAR(loss.value(), 0.3, 1e-3);
  OwnLoss told;
  told.begin(0.5);
  for (int i = 0; i < 50; ++i)
    told.note(seen(0, 0, 0.6), true);
  EXPECT_NEAR(told.value(), 0.5, 1e-3) << "somebody has said so";
}

TEST(OwnLoss, that_a_queue_has_made_which_was_not_seen_is_forgotten_when_less_is_lost_in_all) {
  OwnLoss loss;
  loss.begin(0);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.7), true);
  for (int i = 0; i < 20; ++i)
    loss.note(seen(10e-3, 0, 0), false);
  EXPECT_LT(loss.value(), 0.1);
}

TEST(OwnLoss, is_what_is_usual_again_if_a_path_turns_out_shorter_than_it_seemed) {
  OwnLoss loss;
  loss.begin(0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.4), true);
  loss.forget();
  EXPECT_EQ(loss.value(), 0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0), true);
  loss.forget();
  EXPECT_LT(loss.value(), 0.01);
}

}  // namespace
}  // namespace lbsp::transport
