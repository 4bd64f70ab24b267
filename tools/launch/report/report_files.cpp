#include "tools/launch/report/report_files.hpp"

#include <algorithm>
#include <span>

#include "tools/command_line/standard_output.hpp"
#include "tools/launch/report/report_json.hpp"
#include "tools/launch/report/trace_json.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::report {
namespace {

/// What the models need a tenth of a second for, or some where no two supersteps are alike.
constexpr std::size_t longest_short_trace = std::size_t{4} << 20;

std::uint64_t rest_of(std::uint64_t all, std::uint64_t part) {
  return all - std::min(all, part);
}

/// What a rank's report has beyond its supersteps. That of a rank that did not come to its end may have less: it does
/// not know what goes through its messages, and the datagrams since its last call are in the supersteps only.
SuperstepFigures rest_of(const SuperstepFigures& all, const SuperstepFigures& supersteps) {
  SuperstepFigures out;
  out.compute = all.compute - supersteps.compute;
  out.communicate = all.communicate - supersteps.communicate;
  out.h = rest_of(all.h, supersteps.h);
  for (const auto counter : transport::all_counters)
    out.traffic.*counter = rest_of(all.traffic.*counter, supersteps.traffic.*counter);
  return out;
}

}  // namespace

ReportFiles::ReportFiles(const request::RunOptions& options) : json_to_output_(options.json_to_output()) {
  if (!options.json_file.empty() && !json_to_output_) {
    json_ = std::make_unique<command_line::AtomicFile>(options.json_file);
  }
  if (!options.trace_file.empty()) trace_ = std::make_unique<command_line::AtomicFile>(options.trace_file);
}

void ReportFiles::trace(Rank rank, const job::Steps& steps) {
  if (!trace_) return;
  std::string lines;
  SuperstepFigures& sum = traced_[rank];
  for (std::size_t record = 0; record < steps.figures.size(); ++record) {
    const SuperstepFigures& figures = steps.figures[record];
    const trace::Figures* const traced = steps.traced.empty() ? nullptr : &steps.traced[record];
    lines += trace_line(rank, steps.range(record), figures, traced) + '\n';
    sum.compute += figures.compute;
    sum.communicate += figures.communicate;
    sum.h += figures.h;
    sum.traffic += figures.traffic;
  }
  keep(lines);
  write(trace_, lines, false);
}

void ReportFiles::keep(const std::string& lines) {
  trace_is_short_ = trace_is_short_ && lines.size() <= longest_short_trace - short_trace_.size();
  if (trace_is_short_) {
    short_trace_ += lines;
  } else {
    short_trace_ = {};
  }
}

bool ReportFiles::trace(Rank rank, const job::Packets& packets) {
  if (!trace_) return false;
  write(trace_, trace_packets_line(rank, packets) + '\n', false);
  std::uint64_t& events = events_[rank];
  events += packets.events.size();
  return !packets.events.empty() && events <= job::most_trace_packets;
}

void ReportFiles::write_trace(const JobReport& report) {
  std::string lines;
  for (Rank rank = 0; trace_ && rank < report.size(); ++rank) {
    SuperstepFigures rest;
    if (report.rank(rank)) rest = rest_of(report.rank(rank)->totals, traced_[rank]);
    lines += trace_end_line(rank, rest, report) + '\n';
  }
  keep(lines);
  write(trace_, lines, true);
}

void ReportFiles::write_report(const JobReport& report) {
  if (!json_ && !json_to_output_) return;  // of many supersteps it takes a second, and hundreds of megabytes
  const std::string text = report_as_json(report);
  write(json_, text, true);
  if (!json_to_output_) return;
  try {
    command_line::write_output(text);
  } catch (const command_line::ReaderLeft&) {
    reader_left_ = true;
  } catch (const Error& error) {
    problem_ = error.what();
  }
}

/// A file that the disk does not take is not there at all, which is no rank's fault.
void ReportFiles::write(std::unique_ptr<command_line::AtomicFile>& file, const std::string& text,
                        bool whole) {
  if (!file) return;
  try {
    file->write(text);
    if (whole) file->commit();
  } catch (const Error& error) {
    file.reset();
    problem_ = error.what();
  }
}

}  // namespace lbsp::launch::report
