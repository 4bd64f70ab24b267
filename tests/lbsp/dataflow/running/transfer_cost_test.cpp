#include "lbsp/dataflow/running/transfer_cost.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace lbsp::dataflow::running {
namespace {

TEST(DataflowTransferCost, a_stream_through_memory_costs_what_it_is_told_to_cost) {
  TransferCost cost(4, {}, {17, 4});
  EXPECT_EQ(cost.of({}), (Transfer{17, 4}));
}

TEST(DataflowTransferCost, bytes_cost_more_where_the_network_is_slower_or_loses_more) {
  const auto cost_of = [](double loss, double rate) {
    transport::NetworkMeasure measured{loss, 10'000, std::chrono::milliseconds(70), {rate}, 1400,
                                       1400, {rate}};
    return TransferCost(4, {}, {}).of(measured).per_million_bytes;
  };
  const Ticks least = cost_of(0, 12.5e6);
  EXPECT_GE(least, 80'000'000);  // what a million bytes take at 12.5 MB/s
  EXPECT_LT(least, 90'000'000);
  EXPECT_GT(cost_of(0.1, 12.5e6), least * 21 / 20);
  EXPECT_GT(cost_of(0, 1.25e6), least * 9);
}

}  // namespace
}  // namespace lbsp::dataflow::running
