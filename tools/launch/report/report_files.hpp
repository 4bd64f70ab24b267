#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "lbsp/job/messages.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/launch/report/job_report.hpp"

namespace lbsp::launch::report {

/// The files that the user asked a job for. Each appears whole or not at all.
class ReportFiles {
 public:
  /// Throws UsageError if one cannot be written, before the job has cost any time.
  explicit ReportFiles(const request::RunOptions& options);

  /// Adds the supersteps to the trace, if one is wanted.
  void trace(Rank rank, const job::Steps& steps);
  /// Likewise what it has of single datagrams. Returns whether the rank may have more to tell of them.
  bool trace(Rank rank, const job::Packets& packets);
  /// Ends the trace with what each rank's report has beyond the supersteps that the trace has, and with how the job
  /// ended.
  void write_trace(const JobReport& report);

  /// The lines of single supersteps and of the ends, as they were written; empty without a trace, and for one that is
  /// longer than a report waits for.
  const std::string& short_trace() const { return short_trace_; }

  void write_report(const JobReport& report);

  /// Why a file is not there; empty if nothing has gone wrong.
  const std::string& problem() const { return problem_; }
  /// Whether who was to read the report has closed standard output.
  bool reader_left() const { return reader_left_; }

 private:
  void write(std::unique_ptr<command_line::AtomicFile>& file, const std::string& text, bool whole);
  void keep(const std::string& lines);

  std::unique_ptr<command_line::AtomicFile> json_;
  std::unique_ptr<command_line::AtomicFile> trace_;
  std::map<Rank, SuperstepFigures> traced_;  ///< sums
  std::map<Rank, std::uint64_t> events_;     ///< of single datagrams, so many
  std::string short_trace_;
  bool trace_is_short_ = true;
  std::string problem_;
  bool json_to_output_;
  bool reader_left_ = false;
};

}  // namespace lbsp::launch::report
