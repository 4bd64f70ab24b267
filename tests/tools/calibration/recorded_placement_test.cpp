#include "tools/calibration/recorded_placement.hpp"

#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"

#include "tests/tools/calibration/fox_trace.hpp"

namespace lbsp::calibration {
namespace {

using model::queueing::Placement;
using model::queueing::Reading;

RecordedPlacement of(const std::vector<std::string>& hosts, double seconds) {
  const auto ranks = static_cast<double>(hosts.size());
  const bool apart = hosts.front() != hosts.back();
  return {.hosts = hosts,
          .seconds = seconds,
          .supersteps = 5,
          .message_bytes = 8e6 / ranks,
          .compute_share = 0.9,
          .round_trip = apart ? 0.02 : 0,
          .rate = apart ? 10e6 : 0};
}

TEST(RecordedPlacement, has_the_hosts_messages_and_time_of_a_run) {
  trace_file::Trace trace = trace_file::parse_trace(test::fox_trace(512, 2e9, 12.5e6), "test");
  trace.ends[3].host = "other";
  trace.steps[1][0].to = {{0, 6000}, {2, 3000}};
  const RecordedPlacement got = recorded_placement(trace);
  EXPECT_EQ(got.hosts, (std::vector<std::string>{"here", "here", "here", "other"}));
  EXPECT_DOUBLE_EQ(got.seconds, trace.measured());
  EXPECT_EQ(got.supersteps, 3);
  // 9000 bytes of four ranks in three supersteps; of a rank's messages one in four would be to itself.
  EXPECT_DOUBLE_EQ(got.message_bytes, 9000 / 3. / 4 * 4 / 3);
  EXPECT_GT(got.compute_share, 0);
  EXPECT_LT(got.compute_share, 1);
  EXPECT_DOUBLE_EQ(got.rate, 12.5e6);
  EXPECT_DOUBLE_EQ(got.round_trip, 0.02);
}

TEST(RecordedPlacement, orders_hosts_by_the_numbers_in_their_names) {
  const std::vector<RecordedPlacement> runs{of({"h10", "h2"}, 1), of({"h9", "h10"}, 1)};
  EXPECT_EQ(hosts_in(runs), (std::vector<std::string>{"h2", "h9", "h10"}));
}

TEST(RecordedPlacement, calibrates_the_model_that_made_the_times) {
  const std::vector<std::vector<std::string>> placements{
      {"h0", "h0"}, {"h0", "h0", "h1", "h1"}, {"h0", "h0", "h0", "h1", "h1", "h1", "h2", "h2"}};
  for (const Reading reading : {Reading::load_dependent, Reading::supersteps}) {
    const Placement like{std::vector<model::queueing::Host>(3, {4}), {}, 0};
    std::vector<RecordedPlacement> runs;
    for (const auto& hosts : placements)
      runs.push_back(of(hosts, 1));
    const QueueingCalibration rough = calibrate(runs, like, reading);
    EXPECT_DOUBLE_EQ(rough.workload.compute_share, 0.9);
    EXPECT_DOUBLE_EQ(rough.workload.byte_seconds, 1e-7);
    EXPECT_DOUBLE_EQ(rough.workload.delay_seconds, 0.01);
    EXPECT_NEAR(rough.workload.messages.bytes(6), 8e6 / 6, 1e-3);
    EXPECT_NEAR(rough.workload.sends.sends(6), 5, 1e-9);
    const model::queueing::Constants truth{12, 1.4};
    for (std::size_t i = 0; i < runs.size(); ++i)
      runs[i].seconds = predict(rough.runs[i].placement, rough.workload, truth, reading).seconds;
    const QueueingCalibration got = calibrate(runs, like, reading);
    EXPECT_NEAR(got.found.constants.cpu, truth.cpu, 1e-5);
    EXPECT_NEAR(got.found.constants.net, truth.net, 1e-5);
    for (const double error : got.errors)
      EXPECT_NEAR(error, 0, 1e-6);
  }
}

TEST(RecordedPlacement, refuses_runs_that_do_not_tell_the_network) {
  const Placement like{{{4}, {4}}, {}, 0};
  const auto refused = [&](const std::vector<RecordedPlacement>& runs) {
    EXPECT_THROW(calibrate(runs, like, Reading::load_dependent), std::invalid_argument);
  };
  refused({});
  refused({of({"h0", "h0"}, 1), of({"h0", "h0", "h0"}, 1)});  // on one host
  refused({of({"h0", "h1"}, 1), of({"h0", "h1"}, 1)});        // of one number of ranks
  refused({of({"h0", "h1"}, 1), of({"h0", "h1", "h2"}, 1),
           of({"h0", "h0", "h1"}, 1)});  // on more hosts than given
}

}  // namespace
}  // namespace lbsp::calibration
