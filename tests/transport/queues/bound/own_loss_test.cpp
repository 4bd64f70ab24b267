#include "transport/queues/bound/own_loss.hpp"

#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"

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
    loss.note(seen(0, 0, 0.1), OwnLoss::Queue::none);
    loss.note(seen(10e-3, 0, 0.3), OwnLoss::Queue::stands);
  }
  EXPECT_NEAR(loss.value(), 0.1, 1e-3);
  EXPECT_NEAR(loss.excess(seen(10e-3, 0, 0.28)), 0.2, 1e-3);
}

/// Most of what is sent into a full queue is dropped, and who has never seen it empty takes it for a part of the path.
TEST(OwnLoss, is_no_more_than_three_tenths_unless_more_is_usual) {
  OwnLoss loss;
  loss.begin(0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.9), OwnLoss::Queue::none);
  EXPECT_NEAR(loss.value(), 0.3, 1e-3);
  OwnLoss told;
  told.begin(0.5);
  for (int i = 0; i < 50; ++i)
    told.note(seen(0, 0, 0.6), OwnLoss::Queue::none);
  EXPECT_NEAR(told.value(), 0.5, 1e-3) << "somebody has said so";
}

TEST(OwnLoss, that_a_queue_has_made_which_was_not_seen_is_forgotten_when_less_is_lost_in_all) {
  OwnLoss loss;
  loss.begin(0);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.7), OwnLoss::Queue::none);
  for (int i = 0; i < 20; ++i)
    loss.note(seen(10e-3, 0, 0), OwnLoss::Queue::stands);
  EXPECT_LT(loss.value(), 0.1);
}

TEST(OwnLoss, is_what_is_usual_again_if_a_path_turns_out_shorter_than_it_seemed) {
  OwnLoss loss;
  loss.begin(0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.4), OwnLoss::Queue::none);
  loss.forget();
  EXPECT_EQ(loss.value(), 0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0), OwnLoss::Queue::none);
  loss.forget();
  EXPECT_LT(loss.value(), 0.01);
}

using Queue = OwnLoss::Queue;

OwnLoss after_much_at(double rate, double lost) {
  OwnLoss loss;
  loss.begin(0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, lost, rate), Queue::none);
  return loss;
}

/// A full queue that has not been empty for long is not seen, but loses more the more is sent.
TEST(OwnLoss, is_not_what_is_lost_besides_at_a_higher_rate) {
  OwnLoss loss = after_much_at(50, 0.01);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.2, 60), Queue::none);
  EXPECT_NEAR(loss.value(), 0.01, 1e-3);
  ASSERT_TRUE(loss.risen_with_rate());
  EXPECT_NEAR(*loss.risen_with_rate(), 0.19, 0.01);
}

/// … a path's own loss does not become less with the rate.
TEST(OwnLoss, is_what_is_lost_at_the_lower_rate_that_follows) {
  OwnLoss loss = after_much_at(50, 0.01);
  for (int i = 0; i < 20; ++i)
    loss.note(seen(0, 0, 0.2, 60), Queue::none);
  loss.fell_to(megabits_per_second(48).value);
  EXPECT_FALSE(loss.risen_with_rate());
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.2, 48), Queue::none);
  EXPECT_NEAR(loss.value(), 0.2, 0.01);
  EXPECT_FALSE(loss.risen_with_rate());
}

TEST(OwnLoss, is_what_is_lost_at_a_rate_that_has_lost_less) {
  OwnLoss loss = after_much_at(50, 0.01);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, 0.15, 50), Queue::none);
  EXPECT_NEAR(loss.value(), 0.15, 0.01);
  EXPECT_FALSE(loss.risen_with_rate());
}

TEST(OwnLoss, at_a_higher_rate_is_no_more_for_chance_or_a_queue_that_stands) {
  OwnLoss loss = after_much_at(50, 0.1);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(0, 0, i % 2 == 0 ? 0.15 : 0.07, 60), Queue::none);
  EXPECT_FALSE(loss.risen_with_rate());
  for (int i = 0; i < 50; ++i)
    loss.note(seen(20e-3, 0, 0.5, 70), Queue::stands);
  EXPECT_FALSE(loss.risen_with_rate());
}

/// The guess of 5 % hides what a TCP drops that keeps the queue full, for as long as it does.
TEST(OwnLoss, has_shown_no_more_than_was_lost_in_all) {
  OwnLoss loss;
  loss.begin(0.05);
  for (int i = 0; i < 50; ++i)
    loss.note(seen(20e-3, 0, 0.002), Queue::stands);
  EXPECT_NEAR(loss.value(), 0.05, 1e-9);
  EXPECT_LT(loss.shown(), 0.006);
  for (int i = 0; i < 5; ++i)
    loss.note(seen(20e-3, 0, 0.1), Queue::stands);
  EXPECT_LT(loss.shown(), 0.006) << "what is dropped now does not hide itself";
}

}  // namespace
}  // namespace lbsp::transport
