#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <vector>

#include "model/superstep/prediction.hpp"
#include "tests/model/superstep/known_protocol.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr double alpha = 1.12e-4;  // 1400 bytes at 100 Mbit/s
constexpr double round_trip = 0.07;

Messages all_to_all(int ranks, int segments) {
  return {ranks - 1., segments, alpha};
}

double mean_of(const Superstep& superstep, const std::vector<Protection>& protection,
               const Protocol& protocol = known_protocol()) {
  return predict(superstep, protection, protocol).seconds;
}

double least_of(const Superstep& superstep, const std::vector<Protection>& protection,
                const Protocol& protocol = known_protocol()) {
  BlockOutcomes outcomes(superstep.path, protocol.repairs);
  return least_seconds(superstep, protection, protocol, outcomes);
}

double mean_of(int ranks, int segments, int copies, double loss) {
  return mean_of({1. * ranks, {.round_trip = round_trip, .loss = loss}, {all_to_all(ranks, segments)}},
                 {{.copies = copies}});
}

TEST(TimeLine, tells_how_much_a_superstep_varies) {
  const Superstep lossy{4, {.round_trip = round_trip, .loss = 0.1}, {all_to_all(4, 50)}};
  const std::vector<Protection> protection{{.repair_segments = 8, .coded = true}};
  const Spread spread = predict_spread(lossy, protection, known_protocol(), 0.9);
  EXPECT_NEAR(spread.mean, mean_of(lossy, protection), 1e-12);
  EXPECT_LT(spread.from, spread.mean);
  EXPECT_GT(spread.to, spread.mean);
  EXPECT_GT(spread.deviation, 0);
  const Spread narrow = predict_spread(lossy, protection, known_protocol(), 0.5);
  EXPECT_GT(narrow.from, spread.from);
  EXPECT_LT(narrow.to, spread.to);
  EXPECT_THROW(predict_spread(lossy, protection, known_protocol(), 1.1), std::invalid_argument);
  EXPECT_THROW(predict_spread(lossy, protection, known_protocol(), -0.1), std::invalid_argument);
  Superstep lossless = lossy;
  lossless.path.loss = 0;
  const Spread certain = predict_spread(lossless, protection, known_protocol(), 0.9);
  EXPECT_EQ(certain.deviation, 0);
  EXPECT_NEAR(certain.from, certain.mean * (1 - usual_error), 1e-12);
  EXPECT_NEAR(certain.to, certain.mean * (1 + usual_error), 1e-12);
}

TEST(TimeLine, without_loss_is_the_delay_and_the_serialisation_less_the_burst) {
  EXPECT_DOUBLE_EQ(mean_of(2, 1, 1, 0), round_trip / 2);
  for (const int ranks : {2, 8, 64}) {
    for (const int segments : {10, 100, 1000}) {
      const double h = (ranks - 1) * segments * alpha;
      const double seconds = mean_of(ranks, segments, 1, 0);
      EXPECT_LT(seconds, round_trip / 2 + h);
      EXPECT_GT(seconds, round_trip / 2 + h - 5 * alpha) << ranks << " ranks, " << segments << " segments";
    }
  }
}

TEST(TimeLine, copies_of_what_is_not_lost_cost_nothing) {
  EXPECT_DOUBLE_EQ(mean_of(8, 10, 6, 0), mean_of(8, 10, 1, 0));
}

TEST(TimeLine, spare_segments_save_repairs_and_cost_no_time) {
  Protocol spares = known_protocol();
  spares.repairs.spare_residual = 2e-3;
  const Superstep superstep{2, {.round_trip = round_trip, .loss = 0.1}, {all_to_all(2, 750)}};
  const double fewest = 750 / 0.9 * alpha + round_trip / 2;
  for (const int coded : {16, 20, 30}) {
    const std::vector<Protection> given{{.repair_segments = coded, .coded = true}};
    const double with = mean_of(superstep, given, spares);
    EXPECT_GT(with, fewest);
    EXPECT_LT(with, fewest + 6 * (coded - 10) * alpha + 0.004) << coded << " follow each block";
    EXPECT_LT(with, mean_of(superstep, given) + 1e-9);
  }
  EXPECT_GT(mean_of(superstep, {{.repair_segments = 16, .coded = true}}), fewest + 0.02) << "without them";
}

TEST(TimeLine, spare_segments_stop_when_an_answer_may_come) {
  Protocol spares = known_protocol();
  spares.repairs.spare_residual = 2e-3;
  const Superstep near{2, {.round_trip = alpha, .loss = 0.1}, {all_to_all(2, 750)}};
  const std::vector<Protection> given{{.repair_segments = 16, .coded = true}};
  EXPECT_DOUBLE_EQ(mean_of(near, given, spares), mean_of(near, given)) << "there is no time for any";
}

TEST(TimeLine, spare_segments_have_the_time_that_planned_ones_leave) {
  Protocol spares = known_protocol();
  spares.repairs.spare_residual = 2e-3;
  const Superstep superstep{8, {.round_trip = round_trip, .loss = 0.3}, {all_to_all(8, 200)}};
  const int none_left = static_cast<int>(std::ceil(round_trip / 2 / (7 * alpha)));
  const auto gain = [&](int coded) {
    const std::vector<Protection> given{{.repair_segments = coded, .coded = true}};
    return mean_of(superstep, given) - mean_of(superstep, given, spares);
  };
  EXPECT_GT(gain(none_left - 12), 0.005);
  EXPECT_DOUBLE_EQ(gain(none_left), 0);
}

TEST(TimeLine, is_no_shorter_than_what_must_be_sent) {
  std::mt19937_64 random(7);
  const auto one_of = [&](const auto& of) { return of[random() % std::size(of)]; };
  for (int i = 0; i < 300; ++i) {
    const double ranks = one_of(std::vector{2., 5., 40., 3000.});
    const double loss = one_of(std::vector{0., 0.001, 0.1, 0.3, 0.5, 0.8});
    const double segment = one_of(std::vector{1e-6, alpha, 1e-2});
    const Superstep superstep{
        ranks,
        {.round_trip = one_of(std::vector{1e-4, 0.01, 0.3}), .loss = loss},
        {{one_of(std::vector{1., 2., 7.5}), one_of(std::vector{1, 2, 9, 128, 129, 1000, 100'000}), segment},
         {ranks - 1, 1, segment / 10}}};
    std::vector<Protection> given{{.repair_segments = one_of(std::vector{0, 1, 20, 128}), .coded = true},
                                  {.copies = one_of(std::vector{1, 2, 9})}};
    if (i % 3 == 0) given[0] = {.copies = one_of(std::vector{1, 4})};
    if (i % 5 == 0) given[0].first_protected = superstep.messages[0].segments / 2;
    Protocol protocol = known_protocol();
    if (i % 2 == 0) protocol.repairs.spare_residual = 2e-3;
    EXPECT_GE(mean_of(superstep, given, protocol), (1 - 1e-9) * least_of(superstep, given, protocol)) << i;
  }
}

TEST(TimeLine, of_much_that_is_enough_is_little_longer_than_what_must_be_sent) {
  const Superstep much{8, {.round_trip = round_trip, .loss = 0.1}, {all_to_all(8, 12'800)}};
  const std::vector<Protection> enough{{.repair_segments = 60, .coded = true}};
  EXPECT_GT(least_of(much, enough), 0.99 * mean_of(much, enough));
}

TEST(TimeLine, of_much_that_is_not_enough_is_little_longer_than_what_must_be_sent_and_repaired) {
  const Superstep much{8, {.round_trip = round_trip, .loss = 0.5}, {all_to_all(8, 128'000)}};
  const std::vector<Protection> given{{.repair_segments = 128, .coded = true}};
  const double sent = much.seconds() * 2;
  EXPECT_GT(mean_of(much, given), 1.03 * sent);
  EXPECT_GT(least_of(much, given), 0.99 * mean_of(much, given));
}

TEST(TimeLine, grows_with_the_loss) {
  for (const int segments : {1, 2, 10, 100}) {
    for (const int copies : {1, 3}) {
      double before = 0;
      for (const double loss : {0., 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5}) {
        const double mean = mean_of(8, segments, copies, loss);
        EXPECT_GT(mean, before - 1e-4) << segments << " segments, loss " << loss;
        before = mean;
      }
    }
  }
}

TEST(TimeLine, falls_to_the_delay_and_the_spacing_with_enough_copies) {
  const double spacing = ProtocolTimes::of({.round_trip = round_trip}, known_protocol().timing).copy_spacing;
  double before = 1;
  for (const int copies : {1, 2, 4, 8}) {
    const double mean = mean_of(4, 1, copies, 0.1);
    EXPECT_LT(mean, before);
    before = mean;
  }
  EXPECT_LT(before, round_trip / 2 + 2 * spacing);
}

TEST(TimeLine, takes_less_than_a_round_trip_with_copies_enough) {
  EXPECT_GT(mean_of(8, 1, 1, 0.1), 1.5 * round_trip);
  EXPECT_LT(mean_of(8, 1, 4, 0.1), round_trip);
}

/// Where the receiver reports at once and the sender repairs once, a loss costs a round trip: a packet is
/// missing after i rounds with p^i, and with c packets the superstep goes on with 1 - (1-p^i)^c.
double seconds_in_round_trips(double packets, double per_rank, double loss) {
  double seconds = round_trip / 2 + per_rank * alpha;
  for (double missing = loss; missing > 1e-15; missing *= loss) {
    const double goes_on = -std::expm1(packets * std::log1p(-missing));
    seconds += goes_on * round_trip + alpha * std::max(per_rank * missing, goes_on);
  }
  return seconds;
}

TEST(TimeLine, is_the_model_of_rounds_where_a_loss_costs_one_round_trip) {
  Protocol ideal = known_protocol();
  Timing& timing = ideal.timing;
  timing.reordering_window = timing.acknowledgement_delay = timing.copy_spacing = {};
  timing.report_interval = {1. / 1024, 1e-6, 25e-3};
  timing.loss_delay_share = 1;
  timing.loss_delay_slack = 0;
  timing.timer_granularity = 0;
  ideal.repairs = {.first_residual = 0.5, .later_residual = 0.5};  // one for one
  timing.idle_burst = timing.least_burst_datagrams = 0;
  for (const int ranks : {2, 8, 64}) {
    for (const double loss : {0.001, 0.01, 0.1}) {
      if (loss * loss * ranks * (ranks - 1) > 0.05) continue;
      const Superstep superstep{1. * ranks, {.round_trip = round_trip, .loss = loss}, {all_to_all(ranks, 1)}};
      const double rounds = seconds_in_round_trips(ranks * (ranks - 1.), ranks - 1., loss);
      EXPECT_NEAR(mean_of(superstep, {{}}, ideal) / rounds, 1, 0.02) << ranks << " ranks, loss " << loss;
    }
  }
}

TEST(TimeLine, tails_of_long_messages_need_protection_only) {
  const auto mean = [](int first_protected, int copies) {
    const Superstep superstep{4, {.round_trip = round_trip, .loss = 0.02}, {all_to_all(4, 1000)}};
    return mean_of(superstep, {{.copies = copies, .first_protected = first_protected}});
  };
  EXPECT_LT(mean(800, 3), mean(0, 1));
  EXPECT_LT(mean(800, 3), 1.001 * mean(0, 3));
}

TEST(TimeLine, losses_that_come_together_make_copies_worth_less) {
  Superstep superstep{8, {.round_trip = round_trip, .loss = 0.05}, {all_to_all(8, 1)}};
  const double alone = mean_of(superstep, {{.copies = 3}});
  superstep.path.loss_after_loss = 0.5;
  EXPECT_GT(mean_of(superstep, {{.copies = 3}}), alone * 1.1);
}

// The process that the time line states for messages of one segment, played out: copies a spacing apart, a
// probe with two more after the timeout, with three after the next.
TEST(TimeLine, is_the_mean_of_its_process_played_with_dice) {
  const ProtocolTimes times = ProtocolTimes::of({.round_trip = round_trip}, known_protocol().timing);
  std::mt19937_64 random(7);
  for (const double loss : {0.05, 0.3}) {
    std::bernoulli_distribution lost(loss);
    double sum = 0;
    constexpr int runs = 40'000;
    for (int run = 0; run < runs; ++run) {
      double last = 0;
      for (int message = 0; message < 2; ++message) {
        double base = 0;
        double arrival = 0;
        for (int attempt = 0; arrival == 0; ++attempt) {
          const int copies = attempt == 0 ? 2 : repairs_for(known_protocol().repairs, 1, attempt - 1, loss);
          for (int copy = 0; copy < copies && arrival == 0; ++copy)
            if (!lost(random)) arrival = base + copy * times.copy_spacing + round_trip / 2;
          base += (copies - 1) * times.copy_spacing + times.probe_timeout;
        }
        last = std::max(last, arrival);
      }
      sum += last;
    }
    EXPECT_NEAR(mean_of(2, 1, 2, loss) / (sum / runs), 1, 0.02) << loss;
  }
}

TEST(TimeLine, goes_on_after_much_more_redundancy_than_data) {
  const Superstep superstep{
      10'000, {.round_trip = round_trip, .loss = 0.5}, {{200, 4, 7e-4}, {10'000, 1, 1e-5}}};
  const std::vector<Protection> protection{{.repair_segments = 72, .coded = true}, {.copies = 8}};
  const Prediction predicted = predict(superstep, protection, known_protocol());
  // Of 1e8 messages with 8 copies some must be repaired, when what was planned has long been sent.
  EXPECT_GT(predicted.seconds, 200 * 4 * 7e-4 + 10'000 * 8 * 1e-5 + round_trip);
  EXPECT_EQ(predicted.cost, predicted.seconds);
}

/// 4 ranks, 560 bytes for each pair, 1 Mbit/s, RTT 20 ms: the second copy goes while the rank waits, the third one does
/// not.
TEST(TimeLine, copies_cost_what_the_next_superstep_waits_for_them) {
  Superstep superstep{4, {.round_trip = 0.02, .loss = 0.05}, {{3, 1, 4.48e-3}}};
  const auto cost = [&](int copies, std::optional<double> pause) {
    superstep.pause = pause;
    return predict(superstep, std::vector<Protection>{{.copies = copies}}, known_protocol());
  };
  const double once = superstep.seconds();
  EXPECT_GE(cost(3, 0).cost, 3 * once) << "no superstep is shorter than what each sends";
  EXPECT_LT(cost(2, 0).cost, 0.9 * cost(3, 0).cost);
  EXPECT_DOUBLE_EQ(cost(3, 1).cost, cost(3, 1).seconds) << "in a long pause they cost nothing";
  EXPECT_NEAR(cost(3, 0.01).cost, cost(3, 0).cost - 0.01, 1e-9);
  EXPECT_EQ(cost(3, 0).seconds, cost(3, {}).seconds);
}

TEST(TimeLine, refuses_what_makes_no_sense) {
  const auto refused = [](const Superstep& superstep, const std::vector<Protection>& protection) {
    EXPECT_THROW(mean_of(superstep, protection), std::invalid_argument);
  };
  const Messages good = all_to_all(2, 1);
  refused({0, {}, {good}}, {{}});
  refused({2, {.round_trip = -1}, {good}}, {{}});
  refused({2, {.round_trip_variation = -1}, {good}}, {{}});
  refused({2, {.round_trip = 1, .loss = 1}, {good}}, {{}});
  refused({2, {.round_trip = 1, .loss = 0.1, .loss_after_loss = 1}, {good}}, {{}});
  refused({2, {}, {good}}, {{.copies = 0}});
  refused({2, {}, {good}}, {{.repair_segments = -1}});
  refused({2, {}, {{1, 0, alpha}}}, {{}});
  refused({2, {}, {{-1, 1, alpha}}}, {{}});
  refused({2, {}, {{1, 1, -alpha}}}, {{}});
  refused({2, {}, {good}}, {});
}

TEST(TimeLine, takes_extremes_in_bounded_time) {
  EXPECT_TRUE(std::isfinite(mean_of(2, 1, 1, 0.9)));
  EXPECT_TRUE(std::isfinite(mean_of(1000, 100'000, 16, 0.5)));
  EXPECT_DOUBLE_EQ(mean_of(Superstep{}, {}), 0);
}

}  // namespace
}  // namespace lbsp::model::superstep
