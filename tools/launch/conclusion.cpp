#include "tools/launch/conclusion.hpp"

#include <cerrno>
#include <csignal>
#include <fmt/format.h>

#include "tools/command_line/signal_name.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/launch/report/job_figures.hpp"
#include "tools/launch/report/models_of_run.hpp"
#include "tools/launch/report/report_screen.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch {
namespace {

/// Empty if nothing is wrong but, perhaps, the answer.
std::string why_not_finished(int interrupted, const HowEnded& how) {
  if (interrupted != 0)
    return fmt::format("ended by {}, and the job with it", command_line::signal_name(interrupted));
  if (how.failures.any()) return how.failures.message();
  return how.output_problem != 0 ? command_line::describe_output_problem(how.output_problem) : std::string();
}

}  // namespace

Conclusion conclude(course::Job& job, report::ReportFiles& files, const HowEnded& how,
                    const std::function<void(const std::string& report)>& write) {
  const bool reader_left = how.output_problem == EPIPE && how.interrupted == 0 && !how.failures.any();
  int interrupted = reader_left ? SIGPIPE : how.interrupted;
  std::string reason = why_not_finished(interrupted, how);
  if (job.start_up.size() == 0 && reason.empty()) {
    files.write_trace(job.report);
    print_error(fmt::format("{} ended before bsp_begin: there is nothing to report", job.options.program));
    return {};
  }
  const bool wrong = job.report.verified() == false;
  const bool finished = job.report.complete() && interrupted == 0 && (!how.failures.any() || wrong);
  if (!finished) job.report.set_unfinished(reason);
  files.write_trace(job.report);
  job.report.set_models(report::models_of(job.report, files.short_trace()));
  if (how.started) files.write_report(job.report);
  if (reason.empty()) reason = files.problem();
  if (reason.empty() && files.reader_left()) interrupted = SIGPIPE;
  // Whoever closed the output has had enough: as with other tools there is nothing more to say.
  const bool quiet = interrupted == SIGPIPE;
  if (finished || (report::supersteps_of(job.report) > 0 && !quiet))
    write(report::report_as_text(job.report));
  std::string last_line;
  if (!reason.empty() && !quiet) {
    last_line = reason;
  } else if (wrong && !quiet) {
    last_line = fmt::format("{} found its answer wrong on {}: see its output", job.options.program,
                            report::ranks_that_found_it_wrong(job.report));
  }
  if (!last_line.empty()) print_error(last_line);
  if (interrupted != 0) return {128 + interrupted, last_line};
  return {reason.empty() && !wrong ? 0 : 1, last_line};
}

}  // namespace lbsp::launch
