// Placements on virtual hosts, delays, and the reading without queues.
#include <algorithm>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/queueing/prediction.hpp"
#include "tests/model/csv.hpp"
#include "tests/model/queueing/known_program.hpp"

namespace lbsp::model::queueing {
namespace {

TEST(Queueing, of_hosts_that_share_a_machine_is_one_station_of_its_cores) {
  const Workload local{1, {MessageLaw::Form::power, 1, 0}, {0, 10}, 0, 0};
  const std::vector<Host> hosts(4, Host{8});
  // Nothing is sent in any time: eight processes share two cores, whichever virtual host they are on.
  EXPECT_TRUE(close(predict({hosts, {2, 2, 2, 2}, 2}, local, {80, 1}).seconds, 80 / 2., 1e-12));
  EXPECT_TRUE(close(predict({hosts, {8, 0, 0, 0}, 2}, local, {80, 1}).seconds, 80 / 2., 1e-12));
  EXPECT_LT(predict({hosts, {2, 2, 2, 2}}, local, {80, 1}).seconds, 80 / 6.);
  const Prediction got = predict({hosts, {2, 2, 2, 2}, 2}, work, truth);
  EXPECT_EQ(got.utilisation.size(), 4U);
  EXPECT_EQ(got.utilisation.front(), got.utilisation.back());
  EXPECT_EQ(got.network_utilisation.size(), 4U);
  EXPECT_THROW(predict({hosts, {2, 2, 2, 2}, -1}, work, truth), std::invalid_argument);
}

TEST(Queueing, waits_for_a_delay_without_a_queue) {
  Workload delayed{1, {MessageLaw::Form::power, 0, 0}, {0, 10}, 0, 0};
  delayed.delay_seconds = 0.5;
  const Placement apart{std::vector<Host>(4, Host{1}), {1, 1, 1, 1}};
  const double computing = predict({apart.hosts, {4, 0, 0, 0}}, delayed, {1e-9, 1}).seconds;
  EXPECT_LT(computing, 1e-6);
  // Three of four messages leave their host, by the model's shares, in each of ten cycles.
  EXPECT_NEAR(predict(apart, delayed, {1e-9, 1}).seconds, 10 * 0.75 * 0.5, 1e-6);
  EXPECT_NEAR(predict(apart, delayed, {1e-9, 1}, Reading::supersteps).seconds, 10 * 0.5, 1e-6);
  delayed.delay_seconds = -1;
  EXPECT_THROW(predict(apart, delayed, {1, 1}), std::invalid_argument);
}

TEST(Queueing, of_supersteps_adds_the_slowest_hosts_computing_and_the_slowest_interface) {
  const Workload one{1, {MessageLaw::Form::power, 1e6, 0}, {0, 1}, 0, 1e-6};
  const std::vector<Host> hosts(2, Host{2});
  const double each = 40 / 4.;  // seconds of computing of each of four processes
  // Three on two cores; each interface sends 2 · 3/4 · 1/4 · 4 messages of a second.
  EXPECT_TRUE(
      close(predict({hosts, {3, 1}}, one, {40, 1}, Reading::supersteps).seconds, each * 3 / 2 + 1.5, 1e-12));
  EXPECT_TRUE(close(predict({hosts, {2, 2}}, one, {40, 1}, Reading::supersteps).seconds, each + 2, 1e-12));
  EXPECT_TRUE(close(predict({hosts, {4, 0}}, one, {40, 1}, Reading::supersteps).seconds, each * 2, 1e-12));
  for (const auto& processes : {std::vector{3, 1}, std::vector{2, 2}})
    EXPECT_GE(predict({hosts, processes}, one, {40, 1}, Reading::supersteps).seconds,
              predict({hosts, processes}, one, {40, 1}).least_seconds);
}

TEST(Queueing, tells_the_time_by_processes_on_each_host) {
  const std::vector<double> seconds = seconds_by_processes_each({four_hosts, {}}, work, truth, 8);
  ASSERT_EQ(seconds.size(), 8U);
  EXPECT_EQ(seconds[2], predict({four_hosts, {3, 3, 3, 3}}, work, truth).seconds);
  const int best = best_processes_each({four_hosts, {}}, work, truth, 8);
  EXPECT_EQ(seconds[static_cast<std::size_t>(best) - 1], *std::ranges::min_element(seconds));
}

}  // namespace
}  // namespace lbsp::model::queueing
