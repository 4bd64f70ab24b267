#include "tools/run/report_files.hpp"

#include <span>

#include "tools/programs/standard_output.hpp"
#include "tools/run/report_json.hpp"

namespace lbsp::launch {
namespace {

void write(programs::AtomicFile& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text)));
}

}  // namespace

ReportFiles::ReportFiles(const RunOptions& options) : json_to_output_(options.json_to_output()) {
  if (!options.json_file.empty() && !json_to_output_) {
    json_ = std::make_unique<programs::AtomicFile>(options.json_file);
  }
  if (!options.trace_file.empty()) trace_ = std::make_unique<programs::AtomicFile>(options.trace_file);
}

void ReportFiles::trace(Rank rank, const job::Steps& steps) {
  if (!trace_) return;
  std::string lines;
  std::uint64_t superstep = steps.first;
  for (const SuperstepFigures& figures : steps.figures)
    lines += trace_line(rank, superstep++, figures) + '\n';
  write(*trace_, lines);
}

void ReportFiles::write_trace() {
  if (trace_) trace_->commit();
}

void ReportFiles::write_report(const JobReport& report) {
  const std::string text = report_as_json(report);
  if (json_to_output_) {
    programs::write_output(text);
  }
  if (!json_) return;
  write(*json_, text);
  json_->commit();
}

}  // namespace lbsp::launch
