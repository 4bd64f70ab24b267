#include "model/exchange_time.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/coded_time.hpp"
#include "tests/model/csv.hpp"

namespace lbsp::model {
namespace {

// The reference is printed with six digits; the probability of a second round with three.
constexpr double six_digits = 5.1e-6;
constexpr double three_digits = 5.1e-3;

struct Setting {
  Traffic traffic;
  Network network;
  std::string name;
};

Setting setting_of(const CsvRow& row) {
  const double n = number(row, "n");
  const double m = number(row, "m");
  return {row.at("pattern") == "ring" ? Traffic::ring(n, m) : Traffic::all_to_all(n, m),
          {number(row, "p"), 1400 / 17.5e6, 0.07},
          row.at("pattern") + " n=" + row.at("n") + " m=" + row.at("m") + " p=" + row.at("p")};
}

void expect_value(const CsvRow& row, const std::string& column, double value, double digits = six_digits) {
  EXPECT_TRUE(close(value, number(row, column), digits))
      << setting_of(row).name << " " << column << " " << row.at(column) << ": " << value;
}

TEST(ExchangeTime, is_the_reference_for_copies) {
  for (const CsvRow& row : read_reference("redundancy.csv")) {
    const auto [traffic, network, name] = setting_of(row);
    const int k = whole(row, "rd_k");
    expect_value(row, "messages", traffic.messages);
    expect_value(row, "h", traffic.packets_per_node);
    expect_value(row, "c", traffic.packets());
    expect_value(row, "paper_T", paper_time(traffic, network, whole(row, "paper_k")));
    expect_value(row, "paper_gamma_T",
                 paper_time_packet_by_packet(traffic, network, whole(row, "paper_gamma_k")));
    expect_value(row, "ack_T", acknowledged_time(traffic, network, whole(row, "ack_k")));
    expect_value(row, "rd_k1_T", receiver_time(traffic, network, {1, 1}));
    expect_value(row, "rd_T", receiver_time(traffic, network, {k, k}));
    expect_value(row, "rd_R", expected_rounds(Scheme::receiver, network.loss, k, traffic.packets()).value());
    expect_value(row, "rd2_T", receiver_time(traffic, network, {whole(row, "rd2_k1"), whole(row, "rd2_k2")}));
    expect_value(row, "lower_bound", exchange_lower_bound(traffic, network));
  }
}

TEST(ExchangeTime, is_the_reference_for_coded_repair) {
  for (const CsvRow& row : read_reference("redundancy.csv")) {
    const auto [traffic, network, name] = setting_of(row);
    const RepairTable repair(network.loss, number(row, "ec_eps2"), whole(row, "m"));
    const CodedTime time = coded_time(traffic, network, whole(row, "ec_r"), repair);
    expect_value(row, "ec_T", time.seconds);
    expect_value(row, "ec_P_second_round", time.second_round, three_digits);
  }
}

TEST(ExchangeTime, is_least_for_the_copies_of_the_reference) {
  for (const CsvRow& row : read_reference("redundancy.csv")) {
    const auto [traffic, network, name] = setting_of(row);
    EXPECT_EQ(best_copies(traffic, network).first, whole(row, "rd_k")) << name;
    const CopyPlan plan = best_copy_plan(traffic, network);
    EXPECT_EQ(plan.first, whole(row, "rd2_k1")) << name;
    EXPECT_EQ(plan.later, whole(row, "rd2_k2")) << name;
  }
}

TEST(ExchangeTime, finds_coded_plans_as_good_as_the_references) {
  for (const CsvRow& row : read_reference("redundancy.csv")) {
    const auto [traffic, network, name] = setting_of(row);
    const CodedPlan plan = best_coded_plan(traffic, network);
    EXPECT_LE(plan.time.seconds, number(row, "ec_T") * (1 + 1e-4)) << name << " r=" << plan.repair_packets;
  }
}

TEST(ExchangeTime, codes_one_packet_messages_as_copies) {
  const Traffic traffic = Traffic::all_to_all(16, 1);
  const Network network{0.1, 0, 0.05};
  const double coded =
      coded_time(traffic, network, 2, RepairTable(0.1, 2e-3, 1)).seconds;  // 3 packets, then 3
  EXPECT_TRUE(close(coded, receiver_time(traffic, network, {3, 3}), 1e-11));
}

TEST(ExchangeTime, is_the_mean_of_simulated_supersteps) {
  const Traffic traffic = Traffic::ring(8, 5);
  const Network network{0.2, 0, 0.1};
  std::mt19937_64 random(3);
  std::bernoulli_distribution lost(0.2);
  constexpr int runs = 40000;
  double total = 0;
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    double seconds = 0.05;
    int missing = 40;
    for (int copies = 1; missing > 0; copies = 2) {
      int still = 0;
      for (int packet = 0; packet < missing; ++packet) {
        bool gone = true;
        for (int copy = 0; copy < copies; ++copy)
          gone &= lost(random);
        still += gone;
      }
      missing = still;
      if (missing > 0) seconds += 0.1;
    }
    total += seconds;
    times.push_back(seconds);
  }
  EXPECT_NEAR(total / runs, receiver_time(traffic, network, {1, 2}), 0.001);
  std::ranges::sort(times);
  for (const double level : {0.1, 0.5, 0.95}) {
    EXPECT_NEAR(times[static_cast<std::size_t>(level * runs)],
                receiver_time_quantile(traffic, network, {1, 2}, level), 1e-9)
        << level;
  }
}

TEST(ExchangeTime, without_loss_is_the_delay_and_the_burst) {
  const Traffic traffic = Traffic::all_to_all(4, 10);
  const Network network{0, 1e-3, 0.05};
  EXPECT_NEAR(receiver_time(traffic, network, {1, 1}), 0.055, 1e-15);
  EXPECT_NEAR(receiver_time_quantile(traffic, network, {1, 1}, 0.999), 0.055, 1e-15);
  EXPECT_NEAR(coded_time(traffic, network, 0, RepairTable(0, 1, 10)).seconds, 0.055, 1e-15);
  EXPECT_EQ(best_copies(traffic, network).first, 1);
  EXPECT_EQ(best_coded_plan(traffic, network).repair_packets, 0);
  EXPECT_NEAR(exchange_lower_bound(traffic, network), 0.055, 1e-15);
}

TEST(ExchangeTime, grows_with_loss_and_stays_above_the_bound) {
  const Traffic traffic = Traffic::all_to_all(16, 20);
  double before = 0;
  for (const double loss : {1e-9, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9995}) {
    const Network network{loss, 1e-4, 0.05};
    const double now = receiver_time(traffic, network, {1, 1});
    EXPECT_GT(now, before);
    EXPECT_GT(now, exchange_lower_bound(traffic, network));
    before = now;
  }
}

TEST(ExchangeTime, takes_rounds_together_without_a_jump) {
  const Traffic traffic = Traffic::ring(4, 3);
  const double here = receiver_time(traffic, {std::exp(-0.00051), 1e-4, 0.05}, {1, 1});
  const double beyond = receiver_time(traffic, {std::exp(-0.00049), 1e-4, 0.05}, {1, 1});
  EXPECT_NEAR(beyond * 0.49 / (here * 0.51), 1, 1e-4);
}

TEST(ExchangeTime, refuses_impossible_input) {
  const Traffic traffic = Traffic::ring(4, 3);
  EXPECT_THROW(receiver_time(traffic, {1, 1, 1}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(receiver_time(traffic, {0.1, 1, 1}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(receiver_time(traffic, {0.1, -1, 1}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(receiver_time_quantile(traffic, {0.1, 1, 1}, {1, 1}, 0), std::invalid_argument);
  EXPECT_THROW(receiver_time(Traffic{}, {0.1, 1, 1}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(Traffic::ring(0, 3), std::invalid_argument);
  EXPECT_THROW(RepairTable(0.1, 0, 3), std::invalid_argument);
  EXPECT_THROW(coded_time(traffic, {0.1, 1, 1}, -1, RepairTable(0.1, 1, 3)), std::invalid_argument);
  EXPECT_THROW(coded_time(Traffic::ring(4, 2.5), {0.1, 1, 1}, 1, RepairTable(0.1, 1, 3)),
               std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model
