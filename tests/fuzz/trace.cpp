// What two ranks say of their supersteps in steps and report frames, as it comes to stand in a trace and in a
// report, and as the trace is read again; and any text as a trace.
#include "tools/trace_file/trace.hpp"

#include <nlohmann/json.hpp>

#include "lbsp/job/frame.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tools/launch/report/job_report.hpp"
#include "tools/launch/report/report_json.hpp"
#include "tools/launch/report/trace_json.hpp"

namespace {

using namespace lbsp;

std::string trace_of(Rank rank, const job::Steps& steps) {
  std::string lines;
  for (std::size_t record = 0; record < steps.figures.size(); ++record) {
    const job::SuperstepRange range = steps.range(record);
    const std::string line = launch::report::trace_line(
        rank, range, steps.figures[record], steps.traced.empty() ? nullptr : &steps.traced[record]);
    fuzz::require(line.find('\n') == std::string::npos, "a superstep is one line of a trace");
    fuzz::require(nlohmann::json::parse(line).at("superstep") == range.first, "a trace's line is JSON");
    lines += line + '\n';
  }
  return lines;
}

void take(launch::report::JobReport& report, std::string& trace, const job::Frame& frame) {
  const Rank rank = frame.rank % 2;
  if (frame.kind == job::FrameKind::report) {
    report.add(rank, job::from_payload<job::RankReport>(frame.payload));
  } else if (frame.kind == job::FrameKind::steps) {
    const auto steps = job::from_payload<job::Steps>(frame.payload);
    trace += trace_of(rank, steps);
    report.add(rank, steps);
  } else if (frame.kind == job::FrameKind::packets) {
    const std::string line =
        launch::report::trace_packets_line(rank, job::from_payload<job::Packets>(frame.payload));
    fuzz::require(nlohmann::json::parse(line).at("rank") == rank, "a trace's line is JSON");
    trace += line + '\n';
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  launch::places::Placement placement;
  placement.size = 2;
  launch::report::JobReport report({}, placement);
  std::string trace;
  fuzz::read_or_refuse([&] {
    job::FrameReader reader;
    reader.add(fuzz::text_of(data, size));
    while (const auto frame = reader.next())
      take(report, trace, *frame);
  });
  if (report.complete()) {
    fuzz::require(nlohmann::json::accept(launch::report::report_as_json(report)), "a report is JSON");
  }
  for (Rank rank = 0; rank < 2; ++rank)
    trace += launch::report::trace_end_line(rank, {}, report) + '\n';
  fuzz::read_or_refuse([&] { trace_file::parse_trace(trace, "trace"); });
  fuzz::read_or_refuse([&] { trace_file::parse_trace(std::string(fuzz::text_of(data, size)), "trace"); });
  return 0;
}
