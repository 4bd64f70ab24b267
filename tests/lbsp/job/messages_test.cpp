#include "lbsp/job/messages.hpp"

#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "lbsp/job/frame.hpp"
#include "tests/lbsp/job/there_and_back.hpp"
#include "tests/support/sanitized.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

using namespace std::chrono_literals;

TEST(Messages, carry_a_program_and_its_arguments_byte_by_byte) {
  const Spawn sent{.first_rank = 3,
                   .ranks = 2,
                   .program = "/opt/\xff prog",
                   .arguments = {"", "two words", "--x=\"\\\n\xc3"},
                   .directory = "/home/ä",
                   .blas_threads = "4",
                   .ranks_on_host = 5,
                   .input = true,
                   .port = HostPort{.first_rank = 2, .ranks = 3, .bind_address = "::", .port = 65535}};
  const Spawn got = there_and_back(sent);
  EXPECT_EQ(got.first_rank, 3);
  EXPECT_EQ(got.ranks, 2);
  EXPECT_EQ(got.program, sent.program);
  EXPECT_EQ(got.arguments, sent.arguments);
  EXPECT_EQ(got.directory, sent.directory);
  EXPECT_EQ(got.blas_threads, "4");
  EXPECT_EQ(got.ranks_on_host, 5);
  EXPECT_TRUE(got.input);
  ASSERT_TRUE(got.port);
  EXPECT_EQ(got.port->first_rank, 2);
  EXPECT_EQ(got.port->ranks, 3);
  EXPECT_EQ(got.port->bind_address, "::");
  EXPECT_EQ(got.port->port, 65535);
}

TEST(Messages, carry_a_welcome_whole) {
  Welcome sent{.rank = 2,
               .size = 9,
               .backend = Backend::threads,
               .bind_address = "::",
               .options = {.redundancy = transport::Redundancy::coded,
                           .copies = 4,
                           .longer_copies = 3,
                           .repair_segments = 0,
                           .protected_tail = 123'456,
                           .recovery = transport::Recovery::whole_round,
                           .rate = {12345.678},
                           .datagram_bytes = 9000,
                           .max_message_bytes = std::uint64_t{1} << 40,
                           .peer_timeout = 1500ms,
                           .outlives_ranks = true},
               .paths = {std::nullopt, transport::PathForecast{.loss = 0.1,
                                                               .loss_after_loss = 1.0 / 3,
                                                               .loss_sample = 1000,
                                                               .round_trip = 70ms,
                                                               .round_trip_variation = 1us}},
               .wan = transport::parse_wan_spec("loss=10%,rtt=70ms,rate=100Mbit,burst=4"),
               .wan_seed = std::numeric_limits<std::uint64_t>::max(),
               .key = {},
               .progress = true,
               .start_timeout = 30s};
  for (std::size_t i = 0; i < sent.key.bytes.size(); ++i)
    sent.key.bytes[i] = static_cast<std::uint8_t>(251 * i);
  const Welcome got = there_and_back(sent);
  EXPECT_EQ(got.rank, 2);
  EXPECT_EQ(got.size, 9);
  EXPECT_EQ(got.backend, Backend::threads);
  EXPECT_EQ(got.bind_address, "::");
  EXPECT_EQ(got.options.redundancy, transport::Redundancy::coded);
  EXPECT_EQ(got.options.copies, 4);
  EXPECT_EQ(got.options.longer_copies, 3);
  EXPECT_EQ(got.options.repair_segments, 0);
  EXPECT_EQ(got.options.protected_tail, 123'456U);
  EXPECT_EQ(got.options.recovery, transport::Recovery::whole_round);
  EXPECT_EQ(got.options.rate, sent.options.rate);
  EXPECT_EQ(got.options.datagram_bytes, 9000U);
  EXPECT_EQ(got.options.max_message_bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(got.options.peer_timeout, 1500ms);
  EXPECT_TRUE(got.options.outlives_ranks);
  ASSERT_EQ(got.paths.size(), 2U);
  EXPECT_FALSE(got.paths[0]);
  ASSERT_TRUE(got.paths[1]);
  EXPECT_EQ(got.paths[1]->loss_after_loss, 1.0 / 3);
  EXPECT_EQ(got.paths[1]->loss_sample, 1000);
  EXPECT_EQ(got.paths[1]->round_trip, 70ms);
  EXPECT_EQ(got.paths[1]->round_trip_variation, 1us);
  EXPECT_EQ(got.wan, sent.wan);
  EXPECT_EQ(got.wan_seed, sent.wan_seed);
  EXPECT_EQ(got.key.bytes, sent.key.bytes);
  EXPECT_TRUE(got.progress);
  EXPECT_EQ(got.start_timeout, 30s);
}

TEST(Messages, carry_what_a_trace_has_if_there_is_one) {
  const trace::Figures traced{
      .without_processor = 3ms,
      .after_messages = 5us,
      .network_thread = 7us,
      .network = {.loss = 1.0 / 3, .round_trip = 20ms, .rate = {1e7}, .bandwidth = {2e7}},
      .to = {{0, 77}, {4095, std::numeric_limits<std::uint64_t>::max()}}};
  const Steps steps = there_and_back(Steps{.first = 0, .figures = {{}, {}}, .traced = {traced, {}}});
  ASSERT_EQ(steps.traced.size(), 2U);
  EXPECT_EQ(steps.traced[0], traced);
  EXPECT_EQ(steps.traced[1], trace::Figures{});
  EXPECT_TRUE(there_and_back(Steps{.first = 0, .figures = {{}, {}}}).traced.empty());
  RankReport report;
  report.traced_end = traced;
  EXPECT_EQ(there_and_back(report).traced_end, traced);
  EXPECT_FALSE(there_and_back(RankReport{}).traced_end);
  report.paths = {{1, 100, 7}, {3, 50, 0}};
  EXPECT_EQ(there_and_back(report).paths, report.paths);
  EXPECT_TRUE(there_and_back(RankReport{}).paths.empty());
  Steps uneven{.first = 0, .figures = {{}, {}}, .traced = {traced}};
  EXPECT_THROW(there_and_back(uneven), Error);
  Welcome welcome;
  welcome.trace = true;
  EXPECT_TRUE(there_and_back(welcome).trace);
}

TEST(Messages, carry_a_report_and_its_supersteps_to_the_last_bit) {
  SuperstepFigures figures{.compute = Seconds{0.1},
                           .communicate = Seconds{1.0 / 3},
                           .h = 77,
                           .traffic = {},
                           .forecast = {.duration = 35ms, .earlier = 2ms, .later = 7ms, .most_copies = 3}};
  figures.traffic.datagrams_sent = 1;
  figures.traffic.datagrams_rejected = std::numeric_limits<std::uint64_t>::max();
  figures.traffic.rounds = 11;
  const Steps steps =
      there_and_back(Steps{.first = 4096, .figures = {figures, {}}, .each = 16, .in_last = 3});
  ASSERT_EQ(steps.figures.size(), 2U);
  EXPECT_EQ(steps.first, 4096U);
  EXPECT_EQ(steps.range(0).count, 16U);
  EXPECT_EQ(steps.range(1).first, 4096U + 16);
  EXPECT_EQ(steps.range(1).count, 3U);
  EXPECT_EQ(steps.figures[0].compute, figures.compute);
  EXPECT_EQ(steps.figures[0].communicate, figures.communicate);
  EXPECT_EQ(steps.figures[0].h, 77U);
  EXPECT_EQ(steps.figures[0].traffic, figures.traffic);
  EXPECT_EQ(steps.figures[0].forecast.duration, 35ms);
  EXPECT_EQ(steps.figures[0].forecast.earlier, 2ms);
  EXPECT_EQ(steps.figures[0].forecast.later, 7ms);
  EXPECT_EQ(steps.figures[0].forecast.most_copies, 3);

  const RankReport report = there_and_back(
      RankReport{.supersteps = 5,
                 .total = Seconds{2.5},
                 .start = Seconds{0.25},
                 .end = Seconds{0.125},
                 .totals = figures,
                 .network = {.loss = 0.1, .loss_sample = 1000, .round_trip_time = 20ms, .bandwidth = {1e9}},
                 .verified = false,
                 .notes = {{"mine", {{"a", 0.5}, {"none", std::nan("")}}}, {"yours", {{"b", -3}}}}});
  EXPECT_EQ(report.notes, (Notes{{"mine", {{"a", 0.5}}}, {"yours", {{"b", -3}}}}));
  EXPECT_EQ(report.supersteps, 5U);
  EXPECT_EQ(report.total, Seconds{2.5});
  EXPECT_EQ(report.start, Seconds{0.25});
  EXPECT_EQ(report.end, Seconds{0.125});
  EXPECT_EQ(report.totals.traffic, figures.traffic);
  EXPECT_EQ(report.totals.forecast.most_copies, 3);
  EXPECT_EQ(report.network.loss, 0.1);
  EXPECT_EQ(report.network.loss_sample, 1000U);
  EXPECT_EQ(report.network.round_trip_time, 20ms);
  EXPECT_EQ(report.network.bandwidth.value, 1e9);
  EXPECT_EQ(report.verified, false);
}

TEST(Messages, carry_an_error_text_that_is_not_utf_8) {
  const Failure got = there_and_back(Failure{"no file \xff.npy", true});
  EXPECT_EQ(got.message.substr(0, 8), "no file ");
  EXPECT_TRUE(got.consequence);
  EXPECT_FALSE(got.lost);
}

TEST(Messages, carry_how_far_a_rank_is) {
  const Progress progress{UINT64_MAX, true, 7, 5, {0, 3}};
  EXPECT_EQ(there_and_back(progress), progress);
  EXPECT_THROW(from_payload<Progress>("[-1,true,0,0,[]]"), Error);
  EXPECT_THROW(from_payload<Progress>("[1,true]"), Error);
}

TEST(Messages, carry_who_is_taken_for_lost) {
  EXPECT_EQ(there_and_back(Failure{"rank 0 was last heard 15 s ago", true, 0}).lost, 0);
  EXPECT_THROW(from_payload<Failure>(R"({"message":"","consequence":true,"lost":-1,"excluded":false})"),
               Error);
  EXPECT_TRUE(there_and_back(Failure{"the others go on", true, {}, true}).excluded);
}

TEST(Messages, carry_what_has_become_of_a_world) {
  const Changed got = there_and_back(Changed{.epoch = 2,
                                             .members = {0, 3},
                                             .lost = {1, 2},
                                             .boundary = UINT64_MAX,
                                             .silence = 1s,
                                             .agreement = 25ms,
                                             .seated = {3},
                                             .newcomers = {70'000}});
  EXPECT_EQ(got.epoch, 2U);
  EXPECT_EQ(got.members, (std::vector<Rank>{0, 3}));
  EXPECT_EQ(got.lost, (std::vector<Rank>{1, 2}));
  EXPECT_EQ(got.boundary, UINT64_MAX);
  EXPECT_EQ(got.silence, 1s);
  EXPECT_EQ(got.agreement, 25ms);
  EXPECT_EQ(got.seated, std::vector<Rank>{3});
  EXPECT_EQ(got.newcomers, std::vector<std::uint32_t>{70'000});
  EXPECT_THROW(there_and_back(Changed{.members = {3}, .lost = {}, .seated = {3}}), Error)
      << "which process it is";
}

TEST(Messages, carry_how_far_a_world_came) {
  const LeftWorld got = there_and_back(LeftWorld{.epoch = 7, .supersteps = UINT64_MAX, .keeps_all = true});
  EXPECT_EQ(got.epoch, 7U);
  EXPECT_EQ(got.supersteps, UINT64_MAX);
  EXPECT_TRUE(got.keeps_all);
  EXPECT_EQ(got.reached, std::nullopt);
  EXPECT_EQ(there_and_back(LeftWorld{.reached = UINT64_MAX}).reached, UINT64_MAX);
  EXPECT_EQ(there_and_back(LeftWorld{}).state, std::nullopt);
  EXPECT_EQ(there_and_back(LeftWorld{.state = UINT64_MAX}).state, UINT64_MAX);
}

TEST(Messages, of_another_version_are_refused_by_both_versions_numbers) {
  std::string hello = to_payload(Hello{4000, {}, false});
  const std::string version = "\"version\":" + std::to_string(protocol_version);
  const auto place = hello.find(version);
  ASSERT_NE(place, std::string::npos);
  hello.replace(place, version.size(), "\"version\":999");
  try {
    from_payload<Hello>(hello);
    FAIL() << "another version was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 999"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("this one " + std::to_string(protocol_version)),
              std::string::npos)
        << error.what();
  }
}

TEST(Messages, that_are_not_as_expected_are_refused) {
  EXPECT_THROW(from_payload<Start>("not JSON"), Error);
  EXPECT_THROW(from_payload<Start>("[]"), Error);
  EXPECT_THROW(from_payload<Hello>(R"({"version":2})"), Error);
  EXPECT_THROW(from_payload<Exited>(R"({"code":"one","signal":0,"problem":""})"), Error);
}

TEST(Messages, that_nest_without_end_are_refused_before_they_are_parsed) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THROW(from_payload<Progress>(std::string(max_frame_payload, '[')), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 50ms * test::patience_factor);
  EXPECT_THROW(from_payload<RankReport>(R"({"notes":)" + std::string(100, '[') + std::string(100, ']') + "}"),
               Error);
}

TEST(Messages, with_a_number_that_its_type_does_not_hold_are_refused) {
  for (const char* code : {"4294967296", "-2147483649", "1.5", "1e300", "true", "null"}) {
    EXPECT_THROW(from_payload<Exited>(R"({"signal":0,"problem":"","code":)" + std::string(code) + "}"), Error)
        << code;
  }
  EXPECT_EQ(from_payload<Exited>(R"({"code":-2147483648,"signal":0,"problem":""})").code, INT_MIN);
  EXPECT_THROW(from_payload<Start>(R"({"addresses":[["::1",65536]],"cipher":0})"), Error);
  EXPECT_THROW(from_payload<Start>(R"({"addresses":[["::1",-1]],"cipher":0})"), Error);
  EXPECT_THROW(from_payload<Start>(R"({"addresses":[],"cipher":2})"), Error);
}

TEST(Messages, with_a_key_that_is_not_in_hexadecimal_digits_are_refused) {
  const std::string welcome = to_payload(Welcome{});
  const std::string zeros(64, '0');
  for (const char* digits : {"g0", "0g", " 1", "+1", "0x"}) {
    std::string other = welcome;
    const auto place = other.find(zeros);
    ASSERT_NE(place, std::string::npos);
    EXPECT_THROW(from_payload<Welcome>(other.replace(place, 2, digits)), Error) << digits;
  }
}

}  // namespace
}  // namespace lbsp::job
