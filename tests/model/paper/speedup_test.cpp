#include "model/paper/speedup.hpp"

#include <cmath>
#include <map>

#include "gtest/gtest.h"

#include "model/paper/figures.hpp"
#include "tests/model/csv.hpp"

namespace lbsp::model::paper {
namespace {

TEST(HalfRoundTimeout, sends_all_copies_and_waits_for_the_round_trip) {
  EXPECT_DOUBLE_EQ(half_round_timeout(1, 0, 1e-3, 0.05), 0.05);
  EXPECT_DOUBLE_EQ(half_round_timeout(3, 10, 1e-3, 0.05), 0.08);
}

TEST(Figures, have_the_copies_of_their_titles) {
  for (const int number : {7, 8, 9, 11, 12}) {
    const Figure drawn = figure(number);
    for (const FigurePoint& point : drawn.points) {
      const std::string copies =
          point.copies == 1 ? " 1 copy" : " " + std::to_string(point.copies) + " copies";
      EXPECT_TRUE(std::string(drawn.title).ends_with(copies)) << drawn.title;
    }
  }
}

TEST(Figures, are_the_reference_figures_point_by_point) {
  const std::array columns{"S_c=1", "S_c=log2n", "S_c=log2n^2", "S_c=n", "S_c=nlog2n", "S_c=n^2"};
  std::map<int, std::size_t> next;
  std::map<int, Figure> figures;
  for (int i = 7; i <= 12; ++i)
    figures.emplace(i, figure(i));
  for (const CsvRow& row : read_reference("figures.csv")) {
    const int which = whole(row, "figure");
    ASSERT_LT(next[which], figures.at(which).points.size());
    const FigurePoint& point = figures.at(which).points[next[which]++];
    ASSERT_EQ(point.loss, number(row, "p"));
    ASSERT_EQ(point.nodes, number(row, "n"));
    ASSERT_EQ(point.copies, whole(row, "k"));
    if (point.work_seconds) {
      ASSERT_NEAR(*point.work_seconds, 3600 * number(row, "work_h"), 1e-9);
    }
    for (std::size_t i = 0; i < columns.size(); ++i)  // printed with six digits
      EXPECT_TRUE(close(point.speedup[i], number(row, columns[i]), 5.1e-6))
          << which << " p=" << point.loss << " n=" << point.nodes << " " << columns[i] << " "
          << point.speedup[i];
  }
  for (const auto& [which, figure] : figures)
    EXPECT_EQ(next[which], figure.points.size()) << which;
}

const Network planet_lab{0.1, 65536 / 17.5e6, 0.069};

TEST(Speedup, is_the_same_by_equations_five_and_six) {
  for (const double n : {2., 100., 131072.})
    for (const int k : {1, 2, 7}) {
      const double w = 36000;
      const double c = n * std::log2(n);
      const Prediction got = predict({w, n, c}, planet_lab, k);
      const double rho = got.rounds.value();
      const double six =
          n / (1 + 2 * k * rho * c * planet_lab.packet_seconds / w + 2 * n * planet_lab.round_trip * rho / w);
      EXPECT_TRUE(close(got.speedup, six, 1e-14));
      EXPECT_TRUE(close(got.speedup, n * got.granularity / (got.granularity + rho), 1e-14));
      EXPECT_TRUE(close(got.speedup, n / (1 + got.delay_share + got.serialisation_share), 1e-14));
    }
}

TEST(Speedup, of_one_node_is_one) {
  EXPECT_EQ(predict({10, 1, packets_per_superstep(PacketsPerSuperstep::n_squared, 1)}, planet_lab, 3).speedup,
            1);
}

TEST(Speedup, tends_to_the_delays_limit_with_free_packets_and_many_copies) {
  const double n = 1000;
  const Network free{0.1, 0, 0.05};
  EXPECT_TRUE(close(predict({100, n, n * n}, free, 60).speedup, n / (1 + 2 * n * 0.05 / 100), 1e-12));
}

TEST(Speedup, falls_with_the_loss_and_the_packets) {
  const auto at = [](double loss, double packets) {
    return predict({3600, 64, packets}, {loss, 1e-4, 0.07}, 2).speedup;
  };
  EXPECT_GT(at(0.01, 100), at(0.02, 100));
  EXPECT_GT(at(0.01, 100), at(0.01, 101));
}

TEST(Speedup, with_whole_rounds_is_the_papers_and_zero_where_the_rounds_overflow) {
  const Prediction got = predict({3600, 16, 64}, planet_lab, 2, Scheme::whole_round);
  const double ok = std::pow(1 - 0.01, 128);
  EXPECT_TRUE(close(got.speedup, 16 * got.granularity * ok / (1 + got.granularity * ok), 1e-12));
  EXPECT_EQ(predict({3600, 1e5, 1e10}, planet_lab, 1, Scheme::whole_round).speedup, 0);
}

TEST(Speedup, has_no_share_of_what_takes_no_time_however_many_the_rounds) {
  EXPECT_EQ(predict({3600, 1e5, 1e10}, {0.5, 0, 0.1}, 1, Scheme::whole_round).serialisation_share, 0);
  EXPECT_EQ(predict({3600, 1e5, 1e10}, {0.5, 1e-4, 0}, 1, Scheme::whole_round).delay_share, 0);
}

TEST(Speedup, is_ruled_by_the_term_of_table_one) {
  const double n = 1 << 30;
  for (const PacketsPerSuperstep kind : all_packets_per_superstep) {
    const Prediction got = predict({3600, n, packets_per_superstep(kind, n)}, {0.01, 1e-3, 0.05}, 1);
    const double ratio = got.serialisation_share / got.delay_share;
    if (dominating_term(kind) == "delay") {
      EXPECT_LT(ratio, 1e-3) << name_of(kind);
    } else if (dominating_term(kind) == "both") {
      EXPECT_NEAR(ratio, 0.02, 1e-9);
    } else {
      EXPECT_EQ(dominating_term(kind), "serialisation");
      EXPECT_GT(ratio, 0.5) << name_of(kind);
    }
  }
}

TEST(Speedup, refuses_impossible_input) {
  EXPECT_THROW(predict({0, 2, 2}, planet_lab, 1), std::invalid_argument);
  EXPECT_THROW(predict({1, 0, 2}, planet_lab, 1), std::invalid_argument);
  EXPECT_THROW(predict({1, 2, 2}, {1, 1, 1}, 1), std::invalid_argument);
  EXPECT_THROW(predict({1, 2, 2}, {0.1, -1, 1}, 1), std::invalid_argument);
  EXPECT_THROW(predict({1, 2, 2}, {0.1, 1, -1}, 1), std::invalid_argument);
  EXPECT_THROW(predict({1, 2, 2}, planet_lab, 0), std::invalid_argument);
  EXPECT_THROW(figure(6), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::paper
