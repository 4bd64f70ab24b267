#include <array>
#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/pmm/calibration.hpp"
#include "model/pmm/prediction.hpp"
#include "model/pmm/supersteps.hpp"
#include "model/pmm/table3.hpp"
#include "tests/model/csv.hpp"

namespace lbsp::model::pmm {
namespace {

constexpr std::array broadcasts{Broadcast::flat, Broadcast::binomial, Broadcast::pipeline};
constexpr std::array overlaps{Overlap::average, Overlap::barrier};

struct Vector {
  Broadcast broadcast;
  Overlap overlap;
  double nodes;
  Rates rates;
  double communicate, compute, schedule, total;
};

TEST(Pmm, is_the_reference_at_order_20000) {
  const std::array vectors{Vector{Broadcast::flat,
                                  Overlap::average,
                                  25,
                                  {8.87e6, 8.64e9, 0.015},
                                  27.05749718151071,
                                  74.07407407407408,
                                  0.975,
                                  102.10657125558478},
                           Vector{Broadcast::binomial,
                                  Overlap::average,
                                  25,
                                  {10.73e6, 8.64e9},
                                  14.911463187325257,
                                  74.07407407407408,
                                  0,
                                  88.9855372613993},
                           Vector{Broadcast::binomial,
                                  Overlap::average,
                                  100,
                                  {15.62e6, 3.35e9},
                                  6.40204865556978,
                                  47.76119402985075,
                                  0,
                                  54.16324268542053},
                           Vector{Broadcast::flat,
                                  Overlap::barrier,
                                  25,
                                  {8.87e6, 8.64e9, 0.015},
                                  45.095828635851184,
                                  74.07407407407408,
                                  1.875,
                                  121.04490270992526}};
  for (const Vector& vector : vectors) {
    const Prediction got = predict(vector.broadcast, vector.overlap, vector.nodes, 20000, vector.rates);
    EXPECT_TRUE(close(got.communicate, vector.communicate, 1e-14)) << got.communicate;
    EXPECT_TRUE(close(got.compute, vector.compute, 1e-14)) << got.compute;
    EXPECT_TRUE(close(got.schedule, vector.schedule, 1e-14)) << got.schedule;
    EXPECT_TRUE(close(got.total, vector.total, 1e-14)) << got.total;
    EXPECT_TRUE(close(got.efficiency, got.compute / got.total, 1e-14));
    EXPECT_TRUE(close(got.overhead, 1 / got.efficiency - 1, 1e-13));
  }
}

TEST(Pmm, has_the_papers_closed_forms_of_the_overhead) {
  const Rates rates{7e6, 3e9};
  for (const double q : {2., 3., 5., 8., 9., 10.}) {
    const double order = 720;
    const double ratio = rates.flops_per_second / rates.elements_per_second;
    const auto overhead = [&](Broadcast broadcast) {
      return predict(broadcast, Overlap::average, q * q, q * order, rates).overhead;
    };
    const double levels = std::ceil(std::log2(q));
    EXPECT_TRUE(close(overhead(Broadcast::flat), q * (q + 1) / (4 * q * order) * ratio, 1e-14)) << q;
    EXPECT_TRUE(close(overhead(Broadcast::binomial), q * (1 + levels) / (4 * q * order) * ratio, 1e-14)) << q;
    EXPECT_TRUE(close(overhead(Broadcast::pipeline), q / (q * order) * ratio, 1e-14)) << q;
  }
}

TEST(Pmm, is_linear_in_each_of_the_three_times) {
  const auto total = [](double t_c, double t_f, double t_s) {
    return predict(Broadcast::flat, Overlap::average, 16, 64, {1 / t_c, 1 / t_f, t_s}).total;
  };
  const double one = total(1e-6, 1e-9, 1e-3);
  EXPECT_TRUE(close(total(3e-6, 1e-9, 1e-3) - one, 2 * (total(2e-6, 1e-9, 1e-3) - one), 1e-12));
  EXPECT_TRUE(close(total(1e-6, 3e-9, 1e-3) - one, 2 * (total(1e-6, 2e-9, 1e-3) - one), 1e-9));
  EXPECT_TRUE(close(total(1e-6, 1e-9, 3e-3) - one, 2 * (total(1e-6, 1e-9, 2e-3) - one), 1e-12));
}

TEST(Pmm, is_more_efficient_for_larger_matrices_and_fewer_nodes_and_waits_longer_at_barriers) {
  const Rates rates{8e6, 8e9, 0.01};
  for (const Broadcast broadcast : broadcasts) {
    for (const Overlap overlap : overlaps) {
      const auto efficiency = [&](double nodes, double order) {
        return predict(broadcast, overlap, nodes, order, rates).efficiency;
      };
      EXPECT_GT(efficiency(16, 2400), efficiency(16, 1200));
      EXPECT_GT(efficiency(16, 1200), efficiency(36, 1200));
      EXPECT_GT(efficiency(36, 1200), efficiency(100, 1200));
    }
    for (const double nodes : {1., 4., 9., 25., 100.})
      EXPECT_GE(predict(broadcast, Overlap::barrier, nodes, 1200, rates).total,
                predict(broadcast, Overlap::average, nodes, 1200, rates).total);
  }
}

TEST(Pmm, sends_nothing_on_one_process) {
  for (const Broadcast broadcast : broadcasts)
    for (const Overlap overlap : overlaps)
      EXPECT_EQ(predict(broadcast, overlap, 1, 100, {1, 1}).communicate, 0);
}

TEST(Pmm, refuses_meshes_and_blocks_that_are_none) {
  const auto refused = [](double nodes, double order, const Rates& rates) {
    EXPECT_THROW(predict(Broadcast::flat, Overlap::average, nodes, order, rates), std::invalid_argument)
        << nodes << " " << order;
  };
  refused(5, 100, {1, 1});
  refused(0, 100, {1, 1});
  refused(4, 101, {1, 1});
  refused(4, 0, {1, 1});
  refused(1, 2.5, {1, 1});
  refused(4, 100, {0, 1});
  refused(4, 100, {1, -1});
  refused(4, 100, {1, 1, -1});
  refused(NAN, 100, {1, 1});
}

TEST(PmmCalibration, finds_the_rates_that_made_the_times) {
  const Rates truth{5e6, 2e9, 0.01, 0.005};
  for (const Broadcast broadcast : broadcasts)
    for (const Overlap overlap : overlaps) {
      std::vector<MeasuredRun> runs;
      for (const double nodes : {4., 9.})
        for (const double order : {252., 504., 1008.})
          runs.push_back({nodes, order, predict(broadcast, overlap, nodes, order, truth).total});
      const Calibration got =
          calibrate(broadcast, overlap, runs, {truth.schedule_seconds, truth.startup_seconds});
      EXPECT_TRUE(close(got.rates.elements_per_second, truth.elements_per_second, 1e-9));
      EXPECT_TRUE(close(got.rates.flops_per_second, truth.flops_per_second, 1e-9));
      ASSERT_EQ(got.errors.size(), runs.size());
      for (const double error : got.errors)
        EXPECT_NEAR(error, 0, 1e-10);
    }
}

TEST(Pmm, waits_for_a_start_up_in_each_transfer_of_processes_that_drift_and_once_in_a_superstep) {
  const auto waited = [](Broadcast broadcast, Overlap overlap, double nodes) {
    const double without = predict(broadcast, overlap, nodes, 720, {8e6, 8e9}).total;
    return predict(broadcast, overlap, nodes, 720, {8e6, 8e9, 0, 0.5}).total - without;
  };
  EXPECT_NEAR(waited(Broadcast::flat, Overlap::barrier, 9), 3 * 0.5, 1e-12);
  EXPECT_NEAR(waited(Broadcast::binomial, Overlap::barrier, 9), 3 * 2 * 0.5, 1e-12);
  EXPECT_NEAR(waited(Broadcast::pipeline, Overlap::barrier, 9), 3 * 2 * 0.5, 1e-12);
  EXPECT_NEAR(waited(Broadcast::flat, Overlap::average, 9), 3 * 2 * 0.5, 1e-12);
  EXPECT_EQ(waited(Broadcast::flat, Overlap::barrier, 1), 0);
  EXPECT_THROW(predict(Broadcast::flat, Overlap::barrier, 4, 100, {1, 1, 0, -1}), std::invalid_argument);
}

TEST(PmmCalibration, weighs_all_orders_alike_by_relative_residuals) {
  const Rates truth{5e6, 2e9};
  std::vector<MeasuredRun> runs;
  for (const double order : {256., 512., 1024., 2048.})
    runs.push_back({4, order, predict(Broadcast::flat, Overlap::barrier, 4, order, truth).total});
  runs[0].seconds *= 1.1;
  const Calibration by_seconds = calibrate(Broadcast::flat, Overlap::barrier, runs);
  const Calibration by_shares = calibrate(Broadcast::flat, Overlap::barrier, runs, {}, Residuals::relative);
  EXPECT_LT(by_seconds.errors[0], by_shares.errors[0]);
  EXPECT_LT(by_shares.errors[0], 0);
}

TEST(PmmCalibration, tells_how_far_each_run_is_off) {
  const Rates truth{5e6, 2e9};
  std::vector<MeasuredRun> runs;
  for (const double order : {256., 512., 1024.})
    runs.push_back({4, order, predict(Broadcast::flat, Overlap::barrier, 4, order, truth).total});
  runs[1].seconds *= 1.05;
  const Calibration got = calibrate(Broadcast::flat, Overlap::barrier, runs);
  EXPECT_LT(got.errors[1], 0);
  EXPECT_GT(got.errors[0], 0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double again = predict(Broadcast::flat, Overlap::barrier, 4, runs[i].order, got.rates).total;
    EXPECT_EQ(got.errors[i], again / runs[i].seconds - 1);
  }
}

TEST(PmmCalibration,
     does_not_take_a_disturbed_exchange_for_computing_where_runs_tell_how_long_they_computed) {
  const Rates truth{5e5, 8e9};
  std::vector<MeasuredRun> runs;
  for (const double order : {384., 1024., 2048.})
    runs.push_back({4, order, predict(Broadcast::flat, Overlap::barrier, 4, order, truth).total});
  runs[0].seconds *= 1.05;
  runs[1].seconds *= 1.05;
  const auto fit = [&] {
    return calibrate(Broadcast::flat, Overlap::barrier, runs, {}, Residuals::relative);
  };
  EXPECT_THROW(fit(), std::invalid_argument) << "a negative time of a flop would make up for it";
  for (MeasuredRun& run : runs)
    run.computing = predict(Broadcast::flat, Overlap::barrier, 4, run.order, truth).compute;
  EXPECT_TRUE(close(fit().rates.flops_per_second, truth.flops_per_second, 1e-9));
  EXPECT_TRUE(close(fit().rates.elements_per_second, truth.elements_per_second, 0.05));
}

TEST(PmmCalibration, refuses_runs_that_do_not_tell_the_rates_apart) {
  const auto fit = [](const std::vector<MeasuredRun>& runs) {
    calibrate(Broadcast::flat, Overlap::average, runs);
  };
  EXPECT_THROW(fit({}), std::invalid_argument);
  EXPECT_THROW(fit({{4, 100, 1}}), std::invalid_argument);
  EXPECT_THROW(fit({{4, 100, 1}, {4, 100, 1.1}}), std::invalid_argument);
  EXPECT_THROW(fit({{1, 100, 1}, {1, 200, 8}}), std::invalid_argument);    // nothing is sent
  EXPECT_THROW(fit({{4, 100, 1}, {4, 200, 100}}), std::invalid_argument);  // grows faster than the flops
  EXPECT_THROW(fit({{4, 100, 0}, {4, 200, 1}}), std::invalid_argument);
}

TEST(PmmSupersteps, count_the_packets_of_a_broadcast_and_a_roll) {
  const Iteration got = iteration(9, 300, 1000, 1e9);  // blocks of 80,000 bytes: 80 packets
  EXPECT_EQ(got.supersteps, 3);
  EXPECT_EQ(got.packets, 80 * (6 + 9));
  EXPECT_DOUBLE_EQ(got.average_packets, 80 * (6 + 9) / 9.0);
  EXPECT_EQ(got.critical_packets, 80 * 3);
  EXPECT_DOUBLE_EQ(got.work_seconds, 2e-3);
  EXPECT_EQ(iteration(1, 300, 1000, 1e9).packets, 0);
}

TEST(PmmSupersteps, without_loss_and_delay_take_twice_the_flat_barriers_communication) {
  const Iteration product = iteration(16, 1024, 1024, 2e9);
  const double seconds = lossy_seconds(product, {0, 1e-4, 0}, 1, Load::critical);
  const double element_rate = 1024 / 8 / 1e-4;
  const Prediction barrier = predict(Broadcast::flat, Overlap::barrier, 16, 1024, {element_rate, 2e9});
  EXPECT_TRUE(close(seconds, 2 * barrier.communicate + barrier.compute, 1e-13));
  EXPECT_LT(lossy_seconds(product, {0, 1e-4, 0}, 1, Load::average), seconds);
  EXPECT_GT(lossy_seconds(product, {0.1, 1e-4, 0.07}, 2, Load::critical), seconds);
  EXPECT_DOUBLE_EQ(lossy_seconds(iteration(1, 1000, 1000, 2e9), {0.1, 1e-4, 0.07}, 2, Load::critical), 1);
}

TEST(PmmTable3, is_the_reference_recomputation) {
  const auto rows = table3();
  const auto reference = read_reference("pmm_table3.csv");
  ASSERT_EQ(rows.size(), reference.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Table3Row& row = rows[i];
    const CsvRow& expected = reference[i];
    ASSERT_EQ(row.cluster, expected.at("row"));
    EXPECT_EQ(row.nodes, number(expected, "nodes"));
    EXPECT_EQ(row.cores_per_node, number(expected, "cores_per_node"));
    EXPECT_EQ(row.rates.elements_per_second, number(expected, "elem_rate"));
    EXPECT_EQ(row.rates.flops_per_second, number(expected, "flop_rate"));
    EXPECT_EQ(row.square.printed, number(expected, "c2_printed"));
    EXPECT_EQ(row.cube.printed, number(expected, "c3_printed"));
    EXPECT_TRUE(close(row.square.computed, number(expected, "c2_model"), 5.1e-6)) << row.square.computed;
    EXPECT_TRUE(close(row.cube.computed, number(expected, "c3_model"), 5.1e-6)) << row.cube.computed;
    EXPECT_NEAR(row.square.printed / row.square.computed - 1, number(expected, "c2_rel"), 6e-4);
    EXPECT_TRUE(
        close(transfers(Broadcast::flat, Overlap::average, row.nodes), number(expected, "g_flat"), 1e-5));
    EXPECT_TRUE(close(transfers(Broadcast::binomial, Overlap::average, row.nodes),
                      number(expected, "g_binomial_ceil"), 1e-5));
    EXPECT_TRUE(close(transfers(Broadcast::pipeline, Overlap::average, row.nodes),
                      number(expected, "g_pipeline"), 1e-5));
  }
}

TEST(PmmTable3, names_what_is_misprinted_and_only_that) {
  const auto rows = table3();
  for (const Table3Row& row : rows) {
    const bool reproduces =
        std::abs(row.square.difference()) < 0.002 && std::abs(row.cube.difference()) < 0.002;
    EXPECT_EQ(row.misprint.empty(), reproduces) << row.cluster;
  }
  const Table3Row& copied = rows[1];
  EXPECT_EQ(copied.square.printed, rows[0].square.printed);
  EXPECT_TRUE(close(2 / (25 * 87.03e9), copied.cube.printed, 1e-4));
  // The two clusters' flop rates are exchanged, and the second's broadcast is flat.
  EXPECT_TRUE(close(2 / (100 * rows[6].rates.flops_per_second), rows[5].cube.printed, 0.016));
  EXPECT_TRUE(close(2 / (100 * rows[5].rates.flops_per_second), rows[6].cube.printed, 5e-4));
  EXPECT_TRUE(close(transfers(Broadcast::flat, Overlap::average, 100) / rows[6].rates.elements_per_second,
                    rows[6].square.printed, 5e-4));
}

}  // namespace
}  // namespace lbsp::model::pmm
