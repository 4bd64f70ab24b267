// What two ranks say of their supersteps in steps and report frames, as it comes to stand in a trace and in a
// report.
#include <nlohmann/json.hpp>

#include "lbsp/job/frame.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tools/launch/job_report.hpp"
#include "tools/launch/report_json.hpp"

namespace {

using namespace lbsp;

void check_trace(Rank rank, const job::Steps& steps) {
  for (std::size_t record = 0; record < steps.figures.size(); ++record) {
    const job::SuperstepRange range = steps.range(record);
    const std::string line = launch::trace_line(rank, range, steps.figures[record]);
    fuzz::require(line.find('\n') == std::string::npos, "a superstep is one line of a trace");
    fuzz::require(nlohmann::json::parse(line).at("superstep") == range.first, "a trace's line is JSON");
  }
}

void take(launch::JobReport& report, const job::Frame& frame) {
  const Rank rank = frame.rank % 2;
  if (frame.kind == job::FrameKind::report) {
    report.add(rank, job::from_payload<job::RankReport>(frame.payload));
  } else if (frame.kind == job::FrameKind::steps) {
    const auto steps = job::from_payload<job::Steps>(frame.payload);
    check_trace(rank, steps);
    report.add(rank, steps);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  launch::Placement placement;
  placement.size = 2;
  launch::JobReport report({}, placement);
  fuzz::read_or_refuse([&] {
    job::FrameReader reader;
    reader.add(fuzz::text_of(data, size));
    while (const auto frame = reader.next())
      take(report, *frame);
  });
  if (report.complete()) {
    fuzz::require(nlohmann::json::accept(launch::report_as_json(report)), "a report is JSON");
  }
  return 0;
}
