#include <array>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/queueing/calibration.hpp"
#include "model/queueing/network.hpp"
#include "model/queueing/prediction.hpp"
#include "model/queueing/profile.hpp"
#include "tests/model/csv.hpp"
#include "tests/model/queueing/known_program.hpp"

namespace lbsp::model::queueing {
namespace {

std::vector<double> list(const CsvRow& row, const std::string& column) {
  std::istringstream cells(row.at(column));
  std::vector<double> out;
  for (std::string cell; std::getline(cells, cell, ';');)
    out.push_back(std::stod(cell));
  return out;
}

Placement placement_of(const CsvRow& row) {
  Placement out;
  const auto speeds = list(row, "speed");
  for (const double cores : list(row, "cores"))
    out.hosts.push_back({static_cast<int>(cores), speeds[out.hosts.size()]});
  for (const double processes : list(row, "placement"))
    out.processes.push_back(static_cast<int>(processes));
  return out;
}

Workload workload_of(const CsvRow& row) {
  const bool power = row.at("message_law") == "power";
  return {
      number(row, "v_comp"),
      {power ? MessageLaw::Form::power : MessageLaw::Form::hyperbola, number(row, "m_a"), number(row, "m_b")},
      {number(row, "s_c"), number(row, "s_d")},
      number(row, "t_s"),
      number(row, "t_w")};
}

TEST(Queueing, is_the_reference_at_every_worked_point) {
  for (const CsvRow& row : read_reference("queueing.csv")) {
    SCOPED_TRACE("id " + row.at("id"));
    const Placement placement = placement_of(row);
    const Workload workload = workload_of(row);
    const Constants constants{number(row, "cpu_constant"), number(row, "net_constant")};
    const Prediction got = predict(placement, workload, constants);
    const Prediction fixed = predict(placement, workload, constants, Reading::fixed);
    const double n = number(row, "n");
    EXPECT_TRUE(close(workload.messages.bytes(n), number(row, "message_size"), 1e-12));
    EXPECT_TRUE(close(got.sends, number(row, "sends"), 1e-12));
    EXPECT_TRUE(close(got.response, number(row, "r_ld"), 1e-9)) << got.response;
    EXPECT_TRUE(close(n / got.response, number(row, "x_ld"), 1e-9));
    EXPECT_TRUE(close(got.seconds, number(row, "t_ld"), 1e-9)) << got.seconds;
    EXPECT_TRUE(close(fixed.response, number(row, "r_fixed"), 1e-9)) << fixed.response;
    EXPECT_TRUE(close(fixed.seconds, number(row, "t_fixed"), 1e-9)) << fixed.seconds;
    EXPECT_TRUE(close(got.utilisation[0], number(row, "core_util_host0"), 1e-9));
    EXPECT_TRUE(close(got.jobs[0], number(row, "jobs_cpu_host0"), 1e-9)) << got.jobs[0];
    EXPECT_TRUE(close(got.least_seconds, number(row, "t_lower"), 1e-9)) << got.least_seconds;
    EXPECT_GE(got.seconds, got.least_seconds * (1 - 1e-12));
    const Visits visited = visits(placement.processes, workload.compute_share);
    const auto cpu = list(row, "visits_cpu");
    const auto net = list(row, "visits_net");
    for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
      EXPECT_NEAR(visited.cpu[i], cpu[i], 1e-15);
      EXPECT_NEAR(visited.net[i], net[i], 1e-15);
      EXPECT_LE(got.utilisation[i], 1 + 1e-12);
    }
  }
}

TEST(Queueing, keeps_its_digits_where_the_recursion_over_mean_values_loses_all) {
  const std::array stations{Station{1, 16}, Station{0.05, 8}, Station{0.05, 1}};
  const std::array<std::pair<int, double>, 5> exact{std::pair{16, 1.1734053902769643},
                                                    {32, 2.005491662949062},
                                                    {64, 4.000008584127823},
                                                    {128, 8.000000000010777},
                                                    {200, 12.5}};
  for (const auto& [jobs, response] : exact)
    EXPECT_TRUE(close(solve(stations, jobs).response, response, 1e-14)) << jobs;
}

/// Mean value analysis, exact and stable for stations of one server.
double mean_value_response(const std::vector<double>& demands, int jobs) {
  std::vector<double> queue(demands.size(), 0);
  double response = 0;
  for (int m = 1; m <= jobs; ++m) {
    response = 0;
    for (std::size_t i = 0; i < demands.size(); ++i)
      response += demands[i] * (1 + queue[i]);
    for (std::size_t i = 0; i < demands.size(); ++i)
      queue[i] = m / response * demands[i] * (1 + queue[i]);
  }
  return response;
}

TEST(Queueing, agrees_with_mean_value_analysis_for_single_servers) {
  for (const double scale : {1.0, 1e-6, 1e5}) {
    const std::vector<double> demands{0.3 * scale, 0.29 * scale, 0.01 * scale, 0};
    std::vector<Station> stations;
    for (const double demand : demands)
      stations.push_back({demand, 1});
    for (const int jobs : {1, 2, 7, 100, 512})
      EXPECT_TRUE(close(solve(stations, jobs).response, mean_value_response(demands, jobs), 1e-12)) << jobs;
  }
}

TEST(Queueing, of_more_jobs_and_servers_than_a_double_holds_the_weights_of_is_finite) {
  const Solution got = solve(std::array{Station{2, 2000}, Station{0.0005, 1}}, 2000);
  EXPECT_GT(got.response, 2.0005);
  EXPECT_LT(got.response, 2.1);
  EXPECT_NEAR(std::accumulate(got.jobs.begin(), got.jobs.end(), 0.0), 2000, 1e-6);
}

TEST(Queueing, counts_every_job_at_one_station) {
  const Solution got = solve(std::array{Station{1, 3}, Station{0.4, 1}, Station{0.2, 2}}, 9);
  EXPECT_NEAR(std::accumulate(got.jobs.begin(), got.jobs.end(), 0.0), 9, 1e-12);
  EXPECT_DOUBLE_EQ(got.throughput * got.response, 9);
  for (const double utilisation : got.utilisation)
    EXPECT_LE(utilisation, 1);
}

Placement balanced(int n) {
  return {four_hosts, std::vector<int>(4, n / 4)};
}

TEST(Queueing, has_visits_that_depend_on_the_shares_of_processes_only) {
  const Visits got = visits({3, 5, 2}, 0.7);
  EXPECT_NEAR(std::accumulate(got.cpu.begin(), got.cpu.end(), 0.0), 0.7 + 0.3 * 9 / 10, 1e-15);
  EXPECT_NEAR(std::accumulate(got.net.begin(), got.net.end(), 0.0), 2 * (1 - (9 + 25 + 4) / 100.0), 1e-15);
  EXPECT_EQ(visits({4}, 0.7).net[0], 0);
}

TEST(Queueing, takes_the_time_of_the_program_alone_where_nothing_queues) {
  EXPECT_TRUE(close(predict({{{1}}, {1}}, work, truth).seconds, 2400 * 0.85, 1e-12));
  EXPECT_TRUE(close(predict({{{8}}, {6}}, work, truth).seconds, 2400 / 6.0 * (0.85 + 0.15 * 5 / 6), 1e-12));
}

TEST(Queueing, grows_in_proportion_to_both_constants) {
  const double one = predict(balanced(16), work, truth).seconds;
  EXPECT_TRUE(close(predict(balanced(16), work, {3 * truth.cpu, 3 * truth.net}).seconds, 3 * one, 1e-12));
}

TEST(Queueing, finds_where_more_processes_on_a_host_stop_to_pay) {
  const int best = best_processes_each({four_hosts, {}}, work, truth, 8);
  const auto seconds = [](int each) { return predict(balanced(4 * each), work, truth).seconds; };
  EXPECT_GT(best, 2);
  EXPECT_LT(best, 8);
  EXPECT_LT(seconds(best), seconds(best - 1));
  EXPECT_LT(seconds(best), seconds(best + 1));
}

TEST(Queueing, refuses_what_cannot_be) {
  const auto refused = [](const Placement& placement, const Workload& workload, const Constants& constants) {
    EXPECT_THROW(predict(placement, workload, constants), std::invalid_argument);
  };
  refused({four_hosts, {1, 1}}, work, truth);
  refused({four_hosts, {0, 0, 0, 0}}, work, truth);
  refused({four_hosts, {1, -1, 1, 1}}, work, truth);
  refused({{{0}}, {1}}, work, truth);
  refused({{{1, 0}}, {1}}, work, truth);
  refused(balanced(8), work, {0, 1});
  refused(balanced(8), work, {1, 0});
  Workload bad = work;
  bad.compute_share = 1.1;
  refused(balanced(8), bad, truth);
  bad = work;
  bad.sends = {-3000, 100};
  refused(balanced(8), bad, truth);
  EXPECT_THROW(solve(std::array{Station{1, 1}}, 0), std::invalid_argument);
  EXPECT_THROW(solve(std::array{Station{0, 1}}, 3), std::invalid_argument);
  EXPECT_THROW(solve(std::array{Station{1, 0}}, 3), std::invalid_argument);
}

const std::array<Profiled, 5> messages{
    Profiled{2, 1.40e6}, {4, 1.02e6}, {8, 7.0e5}, {16, 5.1e5}, {32, 3.5e5}};
const std::array<Profiled, 5> sends{Profiled{2, 4600}, {4, 5300}, {8, 5850}, {16, 6520}, {32, 7100}};

TEST(QueueingProfile, is_the_references_fit) {
  const MessageLaw law = fit_messages(messages, MessageLaw::Form::power);
  EXPECT_TRUE(close(law.a, 2003723.94, 3e-9)) << law.a;
  EXPECT_TRUE(close(law.b, 0.5, 1e-9)) << law.b;
  const SendLaw sent = fit_sends(sends);
  EXPECT_TRUE(close(sent.c, 897.3563154, 1e-10)) << sent.c;
  EXPECT_TRUE(close(sent.d, 4008, 1e-10)) << sent.d;
}

TEST(QueueingProfile, takes_the_form_that_fits_better) {
  EXPECT_EQ(fit_messages(messages).form, MessageLaw::Form::power);
  const std::array<Profiled, 4> halves{Profiled{1, 1050}, {2, 550}, {4, 300}, {10, 150}};
  const MessageLaw law = fit_messages(halves);
  EXPECT_EQ(law.form, MessageLaw::Form::hyperbola);
  EXPECT_TRUE(close(law.a, 1000, 1e-12));
  EXPECT_TRUE(close(law.b, 50, 1e-10));
  EXPECT_DOUBLE_EQ(law.bytes(5), 250);
}

TEST(QueueingProfile, needs_two_numbers_of_processes) {
  EXPECT_THROW(fit_messages(std::array{Profiled{4, 10}, Profiled{4, 11}}), std::invalid_argument);
  EXPECT_THROW(fit_sends(std::array{Profiled{4, 10}}), std::invalid_argument);
  EXPECT_THROW(fit_messages(std::array{Profiled{2, 0}, Profiled{4, 11}}), std::invalid_argument);
}

std::vector<MeasuredRun> runs_of(const std::array<double, 6>& seconds) {
  std::vector<MeasuredRun> out;
  for (const int n : {4, 8, 12, 16, 24, 32})
    out.push_back({balanced(n), seconds[out.size()]});
  return out;
}

constexpr std::array exact_seconds{667.408767, 384.739244, 306.274890, 288.165305, 311.474542, 351.870032};
constexpr std::array perturbed_seconds{680.757, 373.197, 309.338, 282.402, 320.819, 348.351};

TEST(QueueingCalibration, returns_the_constants_that_made_the_times) {
  for (const MeasuredRun& run : runs_of(exact_seconds))
    EXPECT_NEAR(predict(run.placement, work, truth).seconds, run.seconds, 5.1e-7);
  for (const Residuals residuals : {Residuals::relative, Residuals::absolute}) {
    const Calibration got = calibrate(runs_of(exact_seconds), work, Reading::load_dependent, residuals);
    EXPECT_TRUE(close(got.constants.cpu, 2400, 1e-8)) << got.constants.cpu;
    EXPECT_TRUE(close(got.constants.net, 1.3, 1e-8)) << got.constants.net;
  }
}

TEST(QueueingCalibration, is_the_references_of_perturbed_times) {
  const Constants start{1000, 1};
  const Calibration relative =
      calibrate(runs_of(perturbed_seconds), work, Reading::load_dependent, Residuals::relative, start);
  EXPECT_TRUE(close(relative.constants.cpu, 2390.79221, 3e-9)) << relative.constants.cpu;
  EXPECT_TRUE(close(relative.constants.net, 1.30133583, 5e-9)) << relative.constants.net;
  EXPECT_TRUE(close(relative.squared_sum, 2.787440e-3, 3e-7)) << relative.squared_sum;
  EXPECT_LE(relative.iterations, 9);
  const Calibration absolute =
      calibrate(runs_of(perturbed_seconds), work, Reading::load_dependent, Residuals::absolute, start);
  EXPECT_TRUE(close(absolute.constants.cpu, 2428.59910, 3e-9)) << absolute.constants.cpu;
  EXPECT_TRUE(close(absolute.constants.net, 1.29604558, 5e-9)) << absolute.constants.net;
  EXPECT_TRUE(close(absolute.squared_sum, 400.1057, 2e-7)) << absolute.squared_sum;
}

TEST(QueueingCalibration, says_that_one_host_alone_tells_nothing_of_the_network) {
  std::vector<MeasuredRun> runs;
  for (const int n : {2, 4, 8})
    runs.push_back({{{{8}}, {n}}, predict({{{8}}, {n}}, work, truth).seconds});
  for (const Residuals residuals : {Residuals::relative, Residuals::absolute})
    EXPECT_THROW(calibrate(runs, work, Reading::load_dependent, residuals), std::invalid_argument);
  EXPECT_THROW(calibrate(std::vector<MeasuredRun>(2, {balanced(8), 400}), work), std::invalid_argument);
  EXPECT_THROW(calibrate({}, work), std::invalid_argument);
}

TEST(QueueingCalibration, finds_a_network_far_slower_than_what_was_probed) {
  Workload fast = work;
  fast.byte_seconds /= 1e5;
  std::vector<MeasuredRun> runs;
  for (const int n : {4, 8, 16})
    runs.push_back({balanced(n), predict(balanced(n), fast, {2400, 1.3e5}).seconds});
  const Calibration got = calibrate(runs, fast);
  EXPECT_TRUE(close(got.constants.cpu, 2400, 1e-7)) << got.constants.cpu;
  EXPECT_TRUE(close(got.constants.net, 1.3e5, 1e-7)) << got.constants.net;
}

TEST(QueueingCalibration, works_for_the_fixed_reading_too) {
  std::vector<MeasuredRun> runs;
  for (const int n : {4, 12, 24})
    runs.push_back({balanced(n), predict(balanced(n), work, truth, Reading::fixed).seconds});
  const Calibration got = calibrate(runs, work, Reading::fixed);
  EXPECT_TRUE(close(got.constants.cpu, 2400, 1e-7));
  EXPECT_TRUE(close(got.constants.net, 1.3, 1e-7));
}

}  // namespace
}  // namespace lbsp::model::queueing
