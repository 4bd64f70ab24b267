// lbsp estimate by the models of Fox's product and of queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/calibration/fox_trace.hpp"
#include "tests/tools/estimate/estimate_outcome.hpp"
#include "tests/tools/estimate/small_trace.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double flops = 2e9;
constexpr double rate = 12.5e6;
const std::string fox = fox_trace(1024, flops, rate);

json by(const char* model, const std::string& trace, std::vector<std::string> options = {}) {
  options.insert(options.end(), {"--model", model});
  return answer(trace, options).at("estimates")[0];
}

TEST(OtherEstimates, of_a_product_is_its_formula_and_the_rest_as_recorded) {
  const json got = by("pmm", fox);
  EXPECT_EQ(got.at("model"), "pmm");
  EXPECT_NEAR(got.at("interval")[0], 1000, 1e-5) << "the formula misses nothing of this run";
  EXPECT_NEAR(got.at("product").at("measured"), fox_seconds(1024, flops, rate), 1e-6);
  EXPECT_NEAR(got.at("product").at("seconds"), fox_seconds(1024, flops, rate), 1e-6);
  EXPECT_NEAR(got.at("seconds"), 1000, 1e-6);
}

TEST(OtherEstimates, of_a_product_change_with_the_network_the_hosts_and_their_number) {
  const auto product = [](const std::vector<std::string>& options) {
    return by("pmm", fox, options).at("product").at("seconds").get<double>();
  };
  EXPECT_NEAR(product({"--rate", "2x"}), fox_seconds(1024, flops, 2 * rate), 1e-6);
  EXPECT_NEAR(product({"--flops", "4x"}), fox_seconds(1024, 4 * flops, rate), 1e-6);
  EXPECT_NEAR(product({"--rtt", "40ms"}), fox_seconds(1024, flops, rate) + 2 * 0.01, 1e-6);
  EXPECT_LT(product({"-n", "16", "--rtt", "0.1ms"}), product({"--rtt", "0.1ms"}));
  expect_refused(fox, "give a square", {"-n", "5", "--model", "pmm"});
  expect_refused(text_of(small_trace()), "matmul --algorithm fox", {"--model", "pmm"});
}

TEST(OtherEstimates, of_queues_has_the_processor_time_and_what_was_sent) {
  // Two hosts of a rank each: 5.5 s of processor time; a megabyte of rank 0's leaves at a megabyte a second.
  std::vector<json> trace = small_trace();
  trace[5]["job"]["host"] = "there";
  for (json& line : trace)
    line["network"]["rate"] = 1e6;
  const double whole = by("queueing", text_of(trace)).at("seconds");
  EXPECT_GT(whole, (3 + 3 * 1 + 0.5) / 2);
  EXPECT_LT(whole, 3 + 3 * 1 + 0.5 + 1 + 0.3);
  const json faster = by("queueing", text_of(trace), {"--rate", "10x"});
  EXPECT_LT(faster.at("seconds"), whole);
  const double missed = 20 - whole;
  EXPECT_NEAR(faster.at("interval")[1].get<double>() - faster.at("seconds").get<double>(), 1.645 * missed,
              0.01)
      << "as much as of the run itself";
  // No run is faster than its slowest ranks compute, and half of a round trip for each superstep.
  EXPECT_NEAR(faster.at("interval")[0], 3 + 1 + 0.25 + 2 * 0.1, 1e-9);
  EXPECT_NEAR(by("queueing", text_of(trace), {"--flops", "2x", "--rtt", "2x"}).at("interval")[0],
              (3 + 1 + 0.25) / 2 + 2 * 0.2, 1e-9);
  trace[4]["job"]["finished"] = trace[5]["job"]["finished"] = false;
  EXPECT_TRUE(by("queueing", text_of(trace)).at("interval").is_null());
  EXPECT_LT(by("queueing", text_of(trace), {"--flops", "2x"}).at("seconds"), whole);
  EXPECT_GT(by("queueing", text_of(trace), {"--rtt", "1s"}).at("seconds"), whole);
  expect_refused(text_of(trace), "use --model lbsp", {"-n", "4", "--model", "queueing"});
}

TEST(OtherEstimates, stand_beside_the_others_where_they_apply) {
  const auto models = [](const std::string& trace, const std::vector<std::string>& options = {}) {
    std::vector<std::string> names;
    const json all = answer(trace, options);
    for (const json& each : all.at("estimates"))
      names.push_back(each.at("model"));
    return names;
  };
  EXPECT_EQ(models(fox), (std::vector<std::string>{"lbsp", "critical-path", "pmm", "queueing"}));
  EXPECT_EQ(models(fox, {"-n", "9"}), (std::vector<std::string>{"lbsp"})) << "3 does not divide the order";
  expect_refused(fox, "give a multiple of the side", {"-n", "9", "--model", "pmm"});
  EXPECT_EQ(models(text_of(small_trace())), (std::vector<std::string>{"critical-path", "queueing"}));
}

TEST(OtherEstimates, say_of_how_many_ranks_they_speak_and_why_a_model_says_nothing) {
  const TemporaryFolder folder;
  const auto text = [&](const std::vector<std::string>& options) {
    const Outcome outcome = estimate(folder, fox, options);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return outcome.output;
  };
  EXPECT_THAT(text({}), Not(HasSubstr("estimated ")));
  EXPECT_THAT(text({"-n", "16"}), AllOf(HasSubstr("estimated      on 16 ranks\n"),
                                        HasSubstr("would take, on 16 ranks,"), Not(HasSubstr("no mesh"))));
  EXPECT_THAT(text({"-n", "9"}), HasSubstr("Fox's product  not of 9 ranks: they make no mesh"));
}

}  // namespace
}  // namespace lbsp::test
