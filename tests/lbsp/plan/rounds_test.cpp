#include "lbsp/plan/rounds.hpp"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

#include "model/paper/rounds.hpp"

namespace lbsp::plan {
namespace {

using transport::max_copies;
using transport::Recovery;

constexpr double round_trip = 0.07;
constexpr double alpha = 1e-4;

/// 8 ranks, of which each sends all others so many segments.
model::superstep::Superstep all_to_all(int segments, double loss) {
  return {8, {.round_trip = round_trip, .loss = loss}, {{7, segments, alpha}}};
}

TEST(PlannedRounds, take_the_paper_s_time_and_the_copies_that_make_it_least) {
  for (const Recovery recovery : {Recovery::rounds, Recovery::whole_round}) {
    for (const int segments : {1, 30}) {
      const auto superstep = all_to_all(segments, 0.1);
      const double packets = 8. * 7 * segments;
      int best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (int k = 1; k <= max_copies; ++k) {
        const double rounds =
            recovery == Recovery::rounds
                ? model::paper::expected_rounds(model::paper::Scheme::rounds, 0.1, k, packets).value()
                : model::paper::expected_rounds_whole_round_by_rank(0.1, k, packets, 8).value();
        const double seconds = 2 * rounds * (k * 7 * segments * alpha + round_trip);
        EXPECT_NEAR(seconds_in_rounds(superstep, recovery, k), seconds, 1e-12 * seconds);
        if (seconds < least) {
          least = seconds;
          best = k;
        }
      }
      EXPECT_EQ(best_copies_in_rounds(superstep, recovery), best);
    }
  }
}

TEST(PlannedRounds, take_the_most_copies_where_no_number_of_them_is_enough) {
  EXPECT_EQ(best_copies_in_rounds(all_to_all(1'000'000, 0.9), Recovery::whole_round), max_copies);
}

}  // namespace
}  // namespace lbsp::plan
