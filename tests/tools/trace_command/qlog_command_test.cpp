// lbsp trace convert --to qlog, of traces with single datagrams. qlog_test.py checks those of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/tools/trace_command/slow_trace.hpp"
#include "tools/trace_file/packet_clocks.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using trace_file::PacketEvent;
using trace_file::PacketWhat;
using trace_file::Trace;

/// Two ranks, the second of whose clock begins `late` seconds after the first's. Each sends the other three datagrams,
/// which take 10, 12 and 15 ms.
Trace three_datagrams_each(double late) {
  Trace trace;
  trace.packets.resize(2);
  for (const Rank from : {0, 1}) {
    const Rank to = 1 - from;
    for (const double passage : {0.012, 0.01, 0.015}) {
      auto& sent = trace.packets[static_cast<std::size_t>(from)].events;
      auto& came = trace.packets[static_cast<std::size_t>(to)].events;
      const auto number = static_cast<std::uint64_t>(passage * 1e3);
      sent.push_back({.what = PacketWhat::sent,
                      .peer = to,
                      .at = 1 - from * late,
                      .number = number,
                      .acknowledges = {}});
      came.push_back({.what = PacketWhat::received,
                      .peer = from,
                      .at = 1 + passage - to * late,
                      .number = number,
                      .acknowledges = {}});
    }
  }
  return trace;
}

TEST(PacketClocks, are_aligned_by_the_fastest_datagrams_of_both_ways) {
  for (const double late : {-0.4, 0.0, 0.3}) {
    const auto clocks = align(three_datagrams_each(late), 0, 1);
    EXPECT_NEAR(clocks.shift, late, 1e-12);
    EXPECT_NEAR(clocks.error, 0.01, 1e-12);
  }
}

TEST(PacketClocks, cannot_be_aligned_by_datagrams_of_one_way) {
  Trace trace = three_datagrams_each(0.3);
  std::erase_if(trace.packets[0].events,
                [](const PacketEvent& event) { return event.what == PacketWhat::received; });
  EXPECT_EQ(align(trace, 0, 1).error, std::numeric_limits<double>::infinity());
}

/// The small trace, and a line of its first rank's datagrams.
std::string with_events(const json& events) {
  return slow_trace(1) + json{{"version", 2}, {"rank", 0}, {"dropped", 5}, {"events", events}}.dump() + '\n';
}

TEST(TraceCommand, writes_a_file_of_qlog_for_each_pair_of_ranks_with_datagrams) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("trace", with_events({{"sent", 0.25, 1, 7, "data", 1000},
                                                               {"lost", 0.5, 1, 7},
                                                               {"lost", 0.75, 1, 7},
                                                               {"received", 1, 1, 3, "status", 100, 6},
                                                               {"measured", 1, 1, 0.2, 0.1, 1e6, 0.5}}));
  const std::string out = folder.path() / "out";
  const Outcome outcome = convert({trace, "--to", "qlog", "-o", out});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("1 pair of ranks, 4 events; 5 older events were not kept"),
                                    HasSubstr("clocks are not aligned")));
  const json pair = json::parse(folder.read("out/0-1.qlog"));
  ASSERT_EQ(pair.at("traces").size(), 1U);
  const json& events = pair.at("traces")[0].at("events");
  ASSERT_EQ(events.size(), 4U) << "a datagram is lost once";
  EXPECT_EQ(events[0], (json{{"time", 0.0},
                             {"name", "transport:packet_sent"},
                             {"data",
                              {{"header", {{"packet_type", "1RTT"}, {"packet_number", 7}}},
                               {"raw", {{"length", 1000}}},
                               {"lbsp_kind", "data"},
                               {"frames", {{{"frame_type", "data"}}}}}}}));
  EXPECT_EQ(events[1].at("time"), 250.0);
  EXPECT_EQ(events[1].at("name"), "recovery:packet_lost");
  EXPECT_EQ(events[2].at("data").at("frames")[1].at("acked_ranges"), (json{{6, 6}}));
  EXPECT_EQ(events[3].at("data").at("smoothed_rtt"), 200.0);
  EXPECT_EQ(events[3].at("data").at("pacing_rate"), 8'000'000);
  EXPECT_THAT(convert({trace, "--to", "qlog", "-o", out}).errors, HasSubstr("is there already"));
}

TEST(TraceCommand, says_of_a_trace_without_datagrams_how_to_record_them) {
  const TemporaryFolder folder;
  const Outcome outcome =
      convert({folder.write("trace", slow_trace(1)), "--to", "qlog", "-o", folder.path() / "out"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("--trace-packets 100000"));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(TraceCommand, refuses_datagrams_that_cannot_be) {
  const TemporaryFolder folder;
  const json impossible[] = {{"sent", 0, 1, 7, "data"},
                             {"sent", 0, 1, 7, "word", 1000},
                             {"sent", 0, 1, 7, "data", 70000},
                             {"sent", 0, 1, -7, "data", 1000},
                             {"sent", 1e10, 1, 7, "data", 1000},
                             {"sent", 0, 0, 7, "data", 1000},
                             {"gone", 0, 1, 7},
                             {"lost", 0, 1, 7, 8},
                             {"received", 0, 1, 7, "data", 1000, -1},
                             {"measured", 0, 1, 0.1, 0.1, 1e6, 1.5},
                             {"measured", 0, 1, -0.1, 0.1, 1e6, 0.5},
                             5};
  for (const json& event : impossible) {
    const std::string trace = folder.write("trace", with_events(json::array({{"lost", 0, 1, 7}, event})));
    const Outcome outcome = convert({trace, "--to", "qlog", "-o", folder.path() / "out"});
    EXPECT_EQ(outcome.code, 1) << event;
    EXPECT_THAT(outcome.errors, HasSubstr("line 5: its 2. event cannot be")) << event;
  }
  const std::string elsewhere = folder.write("trace", with_events(json::array({{"lost", 0, 2, 7}})));
  EXPECT_THAT(convert({elsewhere, "--to", "qlog", "-o", folder.path() / "out"}).errors,
              HasSubstr("rank 0 has datagrams of rank 2 of 2"));
}

}  // namespace
}  // namespace lbsp::test
