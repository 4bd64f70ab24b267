#pragma once

#include <functional>
#include <string>

#include "tools/launch/course/job.hpp"
#include "tools/launch/ranks/failures.hpp"
#include "tools/launch/report/report_files.hpp"

namespace lbsp::launch {

/// How a job has come to its end.
struct HowEnded {
  bool started = false;    ///< all ranks were there
  int interrupted = 0;     ///< the user's signal; 0: there was none
  int output_problem = 0;  ///< the errno with which standard output took no more; 0: it took all
  const ranks::Failures& failures;
};

/// What became of it.
struct Conclusion {
  int code = 0;           ///< for the user
  std::string last_line;  ///< on standard error, without its beginning; empty: there was nothing to say
};

/// Writes the files that the user has asked for, the report, by `write`, and the last line.
Conclusion conclude(course::Job& job, report::ReportFiles& files, const HowEnded& how,
                    const std::function<void(const std::string& report)>& write);

}  // namespace lbsp::launch
