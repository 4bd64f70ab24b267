#include "tools/calibration/recorded_product.hpp"

#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"

#include "tests/tools/calibration/fox_trace.hpp"
#include "tools/calibration/program_words.hpp"

namespace lbsp::calibration {
namespace {

using test::fox_seconds;
using test::fox_trace;

trace_file::Trace fox(double order, double flops = 2e9, double rate = 12.5e6) {
  return trace_file::parse_trace(fox_trace(order, flops, rate), "test");
}

TEST(RecordedProduct, begins_when_the_last_rank_does_and_ends_when_the_last_has_multiplied) {
  const auto product = recorded_product(fox(512));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->run.nodes, 4);
  EXPECT_EQ(product->run.order, 512);
  EXPECT_NEAR(product->run.seconds, fox_seconds(512, 2e9, 12.5e6), 1e-9);
  EXPECT_NEAR(product->run.computing, 2 * 512. * 512 * 512 / 4 / 2e9, 1e-9);
  EXPECT_DOUBLE_EQ(product->round_trip, 0.02);
  EXPECT_DOUBLE_EQ(product->rate, 12.5e6);
  EXPECT_DOUBLE_EQ(product->loss, 0.01);
}

TEST(RecordedProduct, is_none_of_another_program_algorithm_precision_or_order) {
  EXPECT_FALSE(recorded_product(trace_file::parse_trace(fox_trace(512, 2e9, 12.5e6, "direct"), "test")));
  trace_file::Trace trace = fox(512);
  trace.program = "fft2d";
  EXPECT_FALSE(recorded_product(trace));
  trace = fox(512);
  trace.arguments.insert(trace.arguments.end(), {"--precision", "single"});
  EXPECT_FALSE(recorded_product(trace));
  EXPECT_FALSE(recorded_product(fox(511)));
}

TEST(RecordedProduct, is_none_where_supersteps_lack_or_were_joined) {
  trace_file::Trace trace = fox(512);
  trace.steps[1][1].supersteps = 2;
  EXPECT_FALSE(recorded_product(trace));
  trace = fox(512);
  for (auto& steps : trace.steps)
    steps.pop_back();
  EXPECT_FALSE(recorded_product(trace));
}

TEST(RecordedProduct, has_options_in_one_word_too_and_an_order_without_one) {
  trace_file::Trace trace = fox(512);
  trace.arguments = {"--algorithm=fox", "--size=256"};
  EXPECT_EQ(recorded_product(trace)->run.order, 256);
  trace.arguments = {"--algorithm=fox"};
  EXPECT_EQ(recorded_product(trace)->run.order, 1024);
}

TEST(RecordedProduct, calibrates_the_model_to_predict_another_order) {
  std::vector<RecordedProduct> products;
  for (const double order : {256., 1024., 2048.})
    products.push_back(*recorded_product(fox(order)));
  const model::pmm::Calibration found = calibrate(products);
  EXPECT_NEAR(found.rates.flops_per_second / 2e9, 1, 1e-6);
  EXPECT_NEAR(found.rates.elements_per_second / (12.5e6 / 8), 1, 1e-6);
  EXPECT_DOUBLE_EQ(found.rates.startup_seconds, 0.01);
  EXPECT_NEAR(predict(broadcast, overlap, 4, 512, found.rates).total / fox_seconds(512, 2e9, 12.5e6), 1,
              1e-6);
  products.resize(1);
  EXPECT_NEAR(calibrate(products).rates.flops_per_second / 2e9, 1, 1e-6)
      << "the trace tells what it computed";
  products.front().run.computing = 0;
  EXPECT_THROW(calibrate(products), std::invalid_argument);
}

TEST(RecordedProduct, takes_longer_over_a_network_that_loses_more) {
  RecordedProduct network = *recorded_product(fox(512));
  network.loss = 0;
  const double whole = *lossy_seconds(network, 4, 512, 2e9);
  // What is rolled before the first superstep the formulas of the mesh count, and lbsp does not send.
  EXPECT_LT(whole, 1.1 * fox_seconds(512, 2e9, 12.5e6));
  EXPECT_GT(whole, 0.7 * fox_seconds(512, 2e9, 12.5e6));
  network.loss = 0.1;
  EXPECT_GT(*lossy_seconds(network, 4, 512, 2e9), whole);
  network.rate = 0;
  EXPECT_FALSE(lossy_seconds(network, 4, 512, 2e9));
}

}  // namespace
}  // namespace lbsp::calibration
