#include "model/paper/table2.hpp"

#include "gtest/gtest.h"

#include "tests/model/csv.hpp"

namespace lbsp::model::paper {
namespace {

struct Value {
  double computed;
  double printed;
};

Value value_of(const Table2Row& row, const std::string& field) {
  const auto both = [](const PrintedAndComputed& value) { return Value{value.computed, value.printed}; };
  if (field == "rho") return both(row.rounds);
  if (field == "w_s") return both(row.sequential);
  if (field == "comm") return both(row.communication);
  if (field == "total") return both(row.total);
  if (field == "speedup") return both(row.speedup);
  if (field == "efficiency") return both(row.efficiency);
  if (field == "w_p") return {row.workload.parallel_seconds, 0};
  if (field == "c") return {row.workload.steps.front().packets, 0};
  if (field == "gamma") return {row.workload.packets_per_message, 0};
  return {0, 0};
}

TEST(Table2, is_the_reference_recomputation) {
  int checked = 0;
  for (const Table2Row& row : table2())
    for (const CsvRow& reference : read_reference("table2.csv")) {
      if (reference.at("algorithm") != row.workload.name || reference.at("reading") != "primary") continue;
      const Value value = value_of(row, reference.at("field"));
      if (value.computed == 0) continue;
      ++checked;
      EXPECT_TRUE(close(value.computed, number(reference, "recomputed"), 5.1e-6))
          << row.workload.name << " " << reference.at("field") << " " << value.computed;
      if (!reference.at("printed").empty() && value.printed != 0) {
        EXPECT_EQ(value.printed, number(reference, "printed")) << row.workload.name << reference.at("field");
      }
    }
  EXPECT_EQ(checked, 4 * 9);
}

TEST(Table2, agrees_with_the_print_within_half_a_percent) {
  for (const Table2Row& row : table2()) {
    if (row.workload.name == "bitonic") continue;
    EXPECT_LT(std::abs(row.rounds.difference()), 0.005);
    EXPECT_LT(std::abs(row.sequential.difference()), 0.005);
    EXPECT_LT(std::abs(row.communication.difference()), 0.005);
    EXPECT_LT(std::abs(row.total.difference()), 0.005);
    EXPECT_LT(std::abs(row.speedup.difference()), 0.005);
    if (row.workload.name == "fft2d") continue;  // its efficiency is printed with one digit
    EXPECT_LT(std::abs(row.efficiency.difference()), 0.005);
  }
}

struct Reading {
  const char* algorithm;
  const char* reading;
  Workload workload;
  Network network;
  int copies;
};

TEST(Table2, is_the_reference_under_the_other_readings_too) {
  const double flops = 0.5e9;
  const Network large{0.045, 65536 / 17.5e6, 0.069};
  const Reading readings[] = {
      {"matmul", "P=2^17 (text)", matmul(32768, 131072, {flops, 65536}), large, 7},
      {"matmul", "P=2^15 (closing sentence of text)", matmul(32768, 32768, {flops, 65536}), large, 7},
      {"bitonic",
       "bandwidth 17.07",
       bitonic_sort(2147483648., 131072, {flops, 65536}),
       {0.045, 65536 / 17.07e6, 0.069},
       6},
      {"bitonic",
       "beta=0.069434 (fitted)",
       bitonic_sort(2147483648., 131072, {flops, 65536}),
       {0.045, 65536 / 17.5e6, 0.069434},
       6},
      {"fft2d",
       "bandwidth 17.07 (as printed)",
       fft2d(17179869184., 32768, {flops, 256}),
       {0.0005, 256 / 17.07e6, 0.05},
       3},
      {"laplace",
       "serialization term dropped",
       paper_jacobi(262144, 131072, {flops, 24}),
       {0.0005, 0, 0.05},
       5}};
  const auto rows = read_reference("table2.csv");
  for (const Reading& reading : readings) {
    const Cost cost = cost_of(reading.workload, reading.network, reading.copies);
    int checked = 0;
    for (const CsvRow& row : rows) {
      if (row.at("algorithm") != reading.algorithm || row.at("reading") != reading.reading) continue;
      double value = 0;
      if (row.at("field") == "rho") value = cost.rounds.value();
      if (row.at("field") == "comm") value = cost.communication;
      if (row.at("field") == "total") value = cost.seconds;
      if (row.at("field") == "speedup") value = cost.speedup;
      if (row.at("field") == "efficiency") value = cost.efficiency;
      if (value == 0) continue;
      ++checked;
      EXPECT_TRUE(close(value, number(row, "recomputed"), 5.1e-6))
          << reading.reading << " " << row.at("field");
    }
    EXPECT_EQ(checked, 5) << reading.reading;
  }
}

}  // namespace
}  // namespace lbsp::model::paper
