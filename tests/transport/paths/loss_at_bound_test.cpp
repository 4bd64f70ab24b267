#include "transport/paths/loss_at_bound.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

constexpr LossReport half{.loss = UINT16_MAX / 2, .loss_after_loss = UINT16_MAX / 2};

TEST(LossAtBound, is_what_the_peer_reports_while_there_was_no_bound) {
  LossAtBound loss;
  loss.echoed(100, 50);
  const KnownLoss known = loss.of(half, 100, 50);
  EXPECT_EQ(known.report, half);
  EXPECT_EQ(known.packets, 100U);
}

TEST(LossAtBound, is_of_what_was_sent_since) {
  LossAtBound loss;
  loss.begin(120);
  loss.echoed(110, 55);
  EXPECT_EQ(loss.of(half, 110, 55).packets, 0U) << "sent before";
  loss.echoed(121, 60);
  loss.echoed(221, 150);
  const KnownLoss known = loss.of(half, 221, 150);
  EXPECT_EQ(known.packets, 100U);
  EXPECT_NEAR(from_fraction(known.report.loss), 0.1, 0.001);
  EXPECT_EQ(known.report.loss_after_loss, known.report.loss);
}

TEST(LossAtBound, is_what_the_peer_reports_when_that_has_forgotten_what_was_before) {
  LossAtBound loss;
  loss.begin(0);
  loss.echoed(1, 1);
  EXPECT_EQ(loss.of(half, 2001, 1901).report, half);
}

TEST(LossAtBound, is_less_where_others_are_supposed_to_have_arrived) {
  LossAtBound loss;
  loss.begin(120, 300);
  EXPECT_EQ(loss.of(half, 110, 55).packets, 300U);
  EXPECT_EQ(loss.of(half, 110, 55).report, LossReport{});
  loss.echoed(121, 60);
  const KnownLoss known = loss.of(half, 221, 120);
  EXPECT_EQ(known.packets, 400U);
  EXPECT_NEAR(from_fraction(known.report.loss), 0.1, 0.001);
  EXPECT_EQ(loss.of(half, 2121, 1060).report, half) << "the peer's report has forgotten what was before";
}

TEST(LossAtBound, is_not_more_than_the_peer_reports) {
  LossAtBound loss;
  loss.begin(0);
  loss.echoed(1, 1);
  EXPECT_EQ(loss.of(half, 101, 11).report, half);
}

}  // namespace
}  // namespace lbsp::transport
