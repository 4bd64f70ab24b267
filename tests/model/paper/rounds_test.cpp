#include "model/paper/rounds.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"

#include "model/paper/slowest_trial.hpp"
#include "tests/model/csv.hpp"

namespace lbsp::model::paper {
namespace {

Scheme scheme_of(const std::string& name) {
  if (name == "whole") return Scheme::whole_round;
  return name == "receiver" ? Scheme::receiver : Scheme::rounds;
}

double extra(Scheme scheme, double loss, int copies, double packets) {
  return expected_rounds(scheme, loss, copies, packets).minus_one;
}

TEST(Rounds, agree_with_arithmetic_of_sixty_digits) {
  for (const CsvRow& row : read_reference("rounds.csv")) {
    const double rounds =
        extra(scheme_of(row.at("scheme")), number(row, "loss"), whole(row, "copies"), number(row, "packets"));
    EXPECT_TRUE(close(rounds, number(row, "rounds_minus_one"), 1e-12))
        << row.at("scheme") << " p=" << row.at("loss") << " k=" << row.at("copies")
        << " c=" << row.at("packets") << ": " << rounds << " not " << row.at("rounds_minus_one");
  }
}

TEST(Rounds, vary_as_arithmetic_of_sixty_digits_says) {
  for (const CsvRow& row : read_reference("rounds.csv")) {
    if (row.at("variance").empty()) continue;
    const double variance = rounds_variance(scheme_of(row.at("scheme")), number(row, "loss"),
                                            whole(row, "copies"), number(row, "packets"));
    EXPECT_TRUE(close(variance, number(row, "variance"), 1e-9))
        << row.at("scheme") << " p=" << row.at("loss") << " k=" << row.at("copies")
        << " c=" << row.at("packets") << ": " << variance << " not " << row.at("variance");
  }
}

TEST(Rounds, agree_with_the_simulated_means_and_their_printed_sums) {
  for (const CsvRow& row : read_reference("montecarlo.csv")) {
    const Scheme scheme = scheme_of(row.at("mode"));
    const double p = number(row, "p");
    const int k = whole(row, "k");
    const double c = number(row, "c");
    const double rounds = expected_rounds(scheme, p, k, c).value();
    EXPECT_TRUE(close(rounds, number(row, "exact"), 6e-8))
        << row.at("mode") << " " << p << " " << k << " " << c;
    const double error = std::sqrt(rounds_variance(scheme, p, k, c) / number(row, "runs"));
    // Of 282 points one lies at 3.33 standard errors; means are printed with 8 digits.
    EXPECT_LE(std::abs(number(row, "simulated_mean") - rounds), 3.5 * error + 1e-6)
        << row.at("mode") << " " << p << " " << k << " " << c;
  }
}

TEST(Rounds, keep_the_late_rounds_that_plain_doubles_lose) {
  const auto rounds = [](double f, double c) {
    return 1 + slowest_extra_rounds(RepeatedTrial::from_log_failure(std::log(f)), c);
  };
  EXPECT_NEAR(rounds(1e-17, 1e18), 1.9999546, 5e-8);
  EXPECT_NEAR(rounds(1e-15, 1e15), 1.63212056, 5e-9);
  EXPECT_NEAR(rounds(1e-3, 1e18), 6.63312106, 5e-9);
  EXPECT_NEAR(expected_rounds(Scheme::rounds, 0.88, 1, 1e15).value(), 2421.51012, 5e-6);
}

TEST(Rounds, of_one_packet_are_the_same_whether_the_round_or_the_packet_is_sent_again) {
  for (const double p : {1e-9, 0.01, 0.3, 0.9, 0.99})
    for (const int k : {1, 3, 16}) {
      const double whole_round = extra(Scheme::whole_round, p, k, 1);
      EXPECT_TRUE(close(extra(Scheme::rounds, p, k, 1), whole_round, 1e-12)) << p << " " << k;
    }
}

TEST(Rounds, grow_with_the_loss_and_the_packets_and_fall_with_the_copies) {
  for (const Scheme scheme : {Scheme::whole_round, Scheme::rounds, Scheme::receiver})
    for (const double p : {1e-9, 1e-4, 0.05, 0.3, 0.7, 0.95})
      for (const int k : {1, 2, 5})
        for (const double c : {1., 3.7, 100., 999., 1000., 1e5, 1e12}) {
          const double here = extra(scheme, p, k, c);
          if (std::isinf(here)) continue;
          EXPECT_LT(here, extra(scheme, p * 1.01, k, c));
          EXPECT_LT(here, extra(scheme, p, k, c * 1.5));
          EXPECT_GT(here, extra(scheme, p, k + 1, c));
        }
}

TEST(Rounds, need_most_with_whole_rounds_and_least_when_the_receiver_decides) {
  for (const double p : {1e-6, 0.01, 0.1, 0.5})
    for (const double c : {1.5, 10., 1000.}) {
      EXPECT_LT(extra(Scheme::receiver, p, 1, c), extra(Scheme::rounds, p, 1, c));
      EXPECT_LT(extra(Scheme::rounds, p, 1, c), extra(Scheme::whole_round, p, 1, c));
    }
}

TEST(Rounds, lie_within_the_harmonic_bounds) {
  for (const double f : {1e-6, 0.1, 0.5, 0.74, 0.75, 0.9899, 0.9901})
    for (int c = 1; c <= 3000; c = c * 2 + 1) {
      double harmonic = 0;
      for (int i = 1; i <= c; ++i)
        harmonic += 1. / i;
      const double rounds = 1 + slowest_extra_rounds(RepeatedTrial::from_log_failure(std::log(f)), c);
      EXPECT_GE(rounds * (1 + 1e-12), harmonic / -std::log(f));
      EXPECT_LE(rounds, 1 + harmonic / -std::log(f));
    }
}

TEST(Rounds, join_where_one_way_of_computing_gives_way_to_the_other) {
  // H_c/λ, which grows by 1e-9 with the step; what remains would be a jump.
  const auto at = [](double lambda, double c) {
    return slowest_extra_rounds(RepeatedTrial::from_log_failure(-lambda), c) + 0.5;
  };
  const double step = 1e-9;
  for (const double c : {1.3, 2., 5., 30., 500.})
    EXPECT_NEAR(at(0.01 * (1 - step), c) / at(0.01, c), 1 + step, 1e-12) << c;
  for (const double c : {1000., 1e6, 1e15})
    EXPECT_NEAR(at(0.3 * (1 - step), c) / at(0.3, c), 1 + step, 1e-12) << c;
}

TEST(Rounds, vary_as_the_sum_over_all_rounds_says_where_nearly_everything_fails) {
  for (const double c : {1.2, 1.5, 2., 3.}) {
    const double lambda = 0.0099;
    double mean = 0;
    double square = 0;
    for (double i = 0; i < 60 / lambda; ++i) {
      const double goes_on = i == 0 ? 1 : -std::expm1(c * std::log(-std::expm1(-i * lambda)));
      mean += goes_on;
      square += (2 * i + 1) * goes_on;
    }
    const double variance = square - mean * mean;
    EXPECT_NEAR(rounds_variance(Scheme::receiver, std::exp(-lambda), 1, c) / variance, 1, 3e-11) << c;
  }
}

TEST(Rounds, are_one_without_loss_and_with_ever_more_copies) {
  for (const Scheme scheme : {Scheme::whole_round, Scheme::rounds, Scheme::receiver}) {
    EXPECT_EQ(extra(scheme, 0, 1, 1e18), 0);
    EXPECT_EQ(rounds_variance(scheme, 0, 1, 1e18), 0);
    EXPECT_LT(extra(scheme, 0.3, 200, 1e18), 1e-80);
    EXPECT_GT(extra(scheme, 0.3, 200, 1e18), 0);
  }
}

TEST(Rounds, have_a_logarithm_where_they_overflow) {
  const ExpectedRounds rounds = expected_rounds(Scheme::whole_round, 0.1, 1, 1e6);
  EXPECT_TRUE(std::isinf(rounds.value()));
  EXPECT_NEAR(rounds.log, -2e6 * std::log(0.9), 1e-6);
}

TEST(Rounds, of_as_many_packets_as_a_double_holds_come_to_an_end) {
  for (const Scheme scheme : {Scheme::rounds, Scheme::receiver}) {
    for (const double loss : {0.01, 0.1, 0.5, 0.9, 0.99}) {
      const double step = extra(scheme, loss, 2, 1e304) - extra(scheme, loss, 2, 1e300);
      const double packets = std::numeric_limits<double>::max();
      EXPECT_NEAR(extra(scheme, loss, 2, packets), extra(scheme, loss, 2, packets * 1e-4) + step, 0.3)
          << loss;
      EXPECT_GT(rounds_variance(scheme, loss, 2, packets), 0) << loss;
    }
  }
}

TEST(Rounds, of_a_whole_round_succeed_or_fail_together) {
  // One round in (0.9²)^(2·3) ends it.
  const double fails = 1 - std::pow(1 - 0.1 * 0.1, 2 * 3);
  EXPECT_NEAR(rounds_variance(Scheme::whole_round, 0.1, 2, 3), fails / ((1 - fails) * (1 - fails)), 1e-12);
}

TEST(Rounds, by_rank_are_the_papers_for_one_rank_and_the_slowest_of_geometrics_for_more) {
  EXPECT_TRUE(close(expected_rounds_whole_round_by_rank(0.05, 2, 40, 1).minus_one,
                    extra(Scheme::whole_round, 0.05, 2, 40), 1e-12));
  std::mt19937_64 random(7);
  const double success = std::pow(1 - 0.1 * 0.1, 2 * 12. / 4);
  std::geometric_distribution<int> failures(success);
  constexpr int runs = 200000;
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    int most = 0;
    for (int rank = 0; rank < 4; ++rank)
      most = std::max(most, failures(random));
    sum += most;
  }
  EXPECT_NEAR(sum / runs, expected_rounds_whole_round_by_rank(0.1, 2, 12, 4).minus_one, 0.003);
}

TEST(Rounds, by_rank_keep_their_logarithm_where_they_overflow) {
  const ExpectedRounds rounds = expected_rounds_whole_round_by_rank(0.5, 1, 1e5, 10);
  EXPECT_TRUE(std::isinf(rounds.value()));
  EXPECT_NEAR(rounds.log, 2e4 * std::log(2.) + std::log(7381. / 2520), 1e-8);
}

TEST(Rounds, of_packets_and_acknowledgements_drawn_one_by_one_average_to_the_sum) {
  std::mt19937_64 random(11);
  std::bernoulli_distribution lost(0.2);
  const auto all_lost = [&] {
    const bool first = lost(random);
    const bool second = lost(random);
    return first && second;
  };
  constexpr int runs = 40000;
  double rounds = 0;
  for (int run = 0; run < runs; ++run) {
    for (int missing = 20; missing > 0; ++rounds) {
      int still = 0;
      for (int packet = 0; packet < missing; ++packet)
        still += all_lost() || all_lost();
      missing = still;
    }
  }
  const double error = std::sqrt(rounds_variance(Scheme::rounds, 0.2, 2, 20) / runs);
  EXPECT_NEAR(rounds / runs, expected_rounds(Scheme::rounds, 0.2, 2, 20).value(), 4 * error);
}

TEST(Rounds, refuse_what_is_no_loss_no_copy_and_no_packet) {
  const auto refused = [](double loss, int copies, double packets) {
    EXPECT_THROW(expected_rounds(Scheme::rounds, loss, copies, packets), std::invalid_argument);
    EXPECT_THROW(rounds_variance(Scheme::receiver, loss, copies, packets), std::invalid_argument);
    EXPECT_THROW(expected_rounds_whole_round_by_rank(loss, copies, packets, 2), std::invalid_argument);
  };
  refused(-0.1, 1, 1);
  refused(1, 1, 1);
  refused(std::nan(""), 1, 1);
  refused(0.1, 0, 1);
  refused(0.1, 1, 0);
  refused(0.1, 1, 0.5);
  refused(0.1, 1, std::nan(""));
  refused(0.1, 1, INFINITY);
  EXPECT_THROW(expected_rounds_whole_round_by_rank(0.1, 1, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::paper
