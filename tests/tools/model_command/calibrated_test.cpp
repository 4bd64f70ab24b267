// lbsp model pmm and queueing, calibrated from traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/calibration/fox_trace.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double flops = 2e9;
constexpr double rate = 12.5e6;

/// Traces of products of these orders, in files.
class CalibratedModel : public testing::Test {
 protected:
  std::string traces(const std::vector<double>& orders) {
    std::string list;
    for (const double order : orders)
      list += (list.empty() ? "" : ",") +
              written(std::to_string(static_cast<int>(order)), fox_trace(order, flops, rate));
    return list;
  }

  std::string written(const std::string& name, const std::string& trace) {
    folder_.write(name, trace);
    return (folder_.path() / name).string();
  }

  Outcome model(std::vector<std::string> words) {
    words.insert(words.begin(), {built("lbsp"), "model"});
    return Command(words).wait();
  }

  json answer(std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "-"});
    const Outcome outcome = model(words);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return json::parse(outcome.output);
  }

  void expect_refused(const std::vector<std::string>& words, const std::string& said) {
    const Outcome outcome = model(words);
    EXPECT_EQ(outcome.code, 1) << said;
    EXPECT_EQ(outcome.output, "") << said;
    EXPECT_THAT(outcome.errors, StartsWith("lbsp: ")) << said;
    EXPECT_THAT(outcome.errors, HasSubstr(said));
    EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
  }

  TemporaryFolder folder_;
};

TEST_F(CalibratedModel, predicts_another_order_of_the_products_in_traces) {
  const json got = answer({"pmm", "--runs", traces({256, 1024, 2048}), "--order", "512"});
  EXPECT_NEAR(got.at("flops").get<double>() / flops, 1, 1e-6);
  EXPECT_NEAR(got.at("element_rate").get<double>() / (rate / 8), 1, 1e-6);
  EXPECT_DOUBLE_EQ(got.at("startup"), 0.01);
  ASSERT_EQ(got.at("runs").size(), 3U);
  EXPECT_EQ(got.at("runs")[1].at("order"), 1024);
  EXPECT_NEAR(got.at("runs")[1].at("error"), 0, 1e-6);
  EXPECT_NEAR(got.at("total").get<double>() / fox_seconds(512, flops, rate), 1, 1e-6);
  EXPECT_GT(got.at("lossy_bsp"), 0.5 * fox_seconds(512, flops, rate));
  EXPECT_GT(answer({"pmm", "--runs", traces({256, 1024}), "--order", "513", "--nodes", "9"}).at("total"), 0);
  EXPECT_FALSE(answer({"pmm", "--runs", traces({256, 1024})}).contains("total"));
  EXPECT_NEAR(answer({"pmm", "--runs", traces({256}), "--order", "512"}).at("total"), got.at("total"), 1e-6);
}

TEST_F(CalibratedModel, has_an_interval_as_wide_as_the_runs_are_off) {
  const json exact = answer({"pmm", "--runs", traces({256, 1024, 2048}), "--order", "512"});
  EXPECT_NEAR(exact.at("interval").at(0), exact.at("total"), 1e-5);
  EXPECT_NEAR(exact.at("interval").at(1), exact.at("total"), 1e-5);
  EXPECT_TRUE(answer({"pmm", "--runs", traces({256, 1024}), "--order", "512"}).at("interval").is_null())
      << "two runs fit two constants whatever they are";
  // The third took a tenth longer than the other two say.
  const std::string off = traces({256, 1024}) + "," + written("off", fox_trace(2048, flops, rate / 1.2));
  const json got = answer({"pmm", "--runs", off, "--order", "512"});
  const double total = got.at("total");
  double squares = 0;
  for (const json& run : got.at("runs"))
    squares += run.at("error").get<double>() * run.at("error").get<double>();
  constexpr double student = 6.3138;
  const double part = student * std::sqrt(squares * (1 + 2. / 3));
  EXPECT_NEAR(got.at("interval").at(1), total * (1 + part), 1e-4 * total);
  EXPECT_NEAR(got.at("interval").at(0), std::max(0., total * (1 - part)), 1e-4 * total);
  EXPECT_THAT(model({"pmm", "--runs", off, "--order", "512"}).output, HasSubstr("nine of ten  "));
}

TEST_F(CalibratedModel, refuses_traces_that_do_not_tell_the_rates) {
  const std::string two = traces({256, 1024});
  expect_refused({"pmm", "--runs", written("direct", fox_trace(256, flops, rate, "direct"))},
                 "matmul --algorithm fox");
  expect_refused({"pmm", "--runs", "/nowhere"}, "/nowhere");
  expect_refused({"pmm", "--runs", two + ",,"}, "commas");
  expect_refused({"pmm", "--runs", written("none", "nonsense\n")}, "none");
  expect_refused({"pmm", "--runs", two, "--order", "511"}, "multiple of the side");
  expect_refused({"pmm", "--runs", two, "--flops", "1e9"}, "--flops");
  expect_refused({"queueing", "--runs", two}, "--hosts is missing");
  expect_refused({"queueing", "--runs", two, "--hosts", "4"}, "send nothing");
  expect_refused({"queueing", "--runs", two, "--hosts", "4", "--net", "1"}, "--net");
}

/// A trace of up to four ranks, on these hosts, each of which sends as much to the next in each superstep.
std::string placed_trace(const std::vector<std::string>& hosts, double seconds) {
  std::istringstream lines(fox_trace(512, flops, rate));
  std::string out;
  for (std::string text; std::getline(lines, text);) {
    json line = json::parse(text);
    const auto rank = line.at("rank").get<std::size_t>();
    if (rank >= hosts.size()) continue;
    if (line.at("superstep").is_null()) {
      line["job"]["host"] = hosts[rank];
      line["job"]["ranks"] = hosts.size();
      line["seconds"]["total"] = seconds;
    } else {
      line["to"] = {{(rank + 1) % hosts.size(), 2'000'000}};
    }
    out += line.dump() + "\n";
  }
  return out;
}

TEST_F(CalibratedModel, takes_runs_of_lbsp_to_be_without_queues_unless_told) {
  const std::string runs = written("one", placed_trace({"a", "a"}, 4)) + "," +
                           written("two", placed_trace({"a", "b"}, 6)) + "," +
                           written("half", placed_trace({"a", "a", "b", "b"}, 3));
  const auto read_as = [&](const std::vector<std::string>& reading) {
    std::vector<std::string> words{"queueing", "--runs", runs, "--hosts", "2,2", "--placement", "1,1"};
    words.insert(words.end(), reading.begin(), reading.end());
    return answer(words);
  };
  const json got = read_as({});
  EXPECT_EQ(got.at("seconds"), read_as({"--reading", "supersteps"}).at("seconds"));
  EXPECT_LT(got.at("interval").at(0), got.at("seconds"));
  EXPECT_GT(got.at("interval").at(1), got.at("seconds"));
  EXPECT_NE(got.at("seconds"), read_as({"--reading", "ld"}).at("seconds"));
  EXPECT_TRUE(read_as({"--reading", "ld"}).at("interval").is_null());
}

TEST_F(CalibratedModel, tells_from_how_many_processes_on_a_host_more_do_not_pay) {
  const std::vector<std::string> program{
      "queueing", "--hosts",   "2,2",   "--cpu",   "10",  "--net",          "1",   "--compute-share",
      "100%",     "--message", "1e6,0", "--sends", "0,5", "--byte-seconds", "1e-6"};
  const json got = answer(program);
  const auto seconds = got.at("by_processes_each").get<std::vector<double>>();
  ASSERT_EQ(seconds.size(), 4U);
  EXPECT_EQ(got.at("seconds"), *std::ranges::min_element(seconds));
  EXPECT_THAT(model(program).output, HasSubstr("more processes on each host do not pay"));
  std::vector<std::string> shared = program;
  shared.insert(shared.end(), {"--shared-cores", "1", "--placement", "2,2"});
  std::vector<std::string> own = program;
  own.insert(own.end(), {"--placement", "2,2"});
  EXPECT_GT(answer(shared).at("seconds"), answer(own).at("seconds"));
}

}  // namespace
}  // namespace lbsp::test
