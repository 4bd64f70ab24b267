#include "model/paper/superstep_bound.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace lbsp::model::paper {
namespace {

TEST(SuperstepLowerBound, is_the_delay_plus_the_serialisation) {
  EXPECT_DOUBLE_EQ(superstep_lower_bound(0.035, 0, 12.5e6), 0.035);
  EXPECT_DOUBLE_EQ(superstep_lower_bound(0.035, 1.25e6, 12.5e6), 0.135);
}

TEST(SuperstepLowerBound, grows_with_loss_by_what_must_be_sent_again) {
  EXPECT_DOUBLE_EQ(superstep_lower_bound(0, 1.25e6, 12.5e6, 0.5), 0.2);
}

TEST(SuperstepLowerBound, refuses_what_is_no_network) {
  EXPECT_THROW(superstep_lower_bound(0, 1, 0), std::invalid_argument);
  EXPECT_THROW(superstep_lower_bound(0, 1, 1, 1), std::invalid_argument);
}

TEST(HalfRoundTimeout, is_the_papers_tau) {
  // Table II, 2D FFT: k = 3, α = 65536/17.5e6 s, β = 0.069 s.
  EXPECT_NEAR(half_round_timeout(3, 2, 65536 / 17.5e6, 0.069), 0.0914695, 1e-7);
}

}  // namespace
}  // namespace lbsp::model::paper
