#include "tools/launch/course/never_started.hpp"

#include <fmt/format.h>

#include "transport/quantity.hpp"

namespace lbsp::launch::course {

std::string why_never_started(const Job& job, const ranks::JobProcess& process) {
  const std::string patience = transport::format_duration(job.options.start_timeout);
  if (const auto last_words = job.hosts.unanswered(process.host)) {
    return fmt::format(
        "{} never started: its host did not answer within {}{}: check the way to it, or give "
        "--start-timeout more",
        process.name, patience, last_words->empty() ? "" : fmt::format(" ({})", *last_words));
  }
  return fmt::format(
      "{} never started: {} did not call lbsp::run within {}: is it an lbsp program? If it needs longer, "
      "give --start-timeout more",
      process.name, job.options.program, patience);
}

}  // namespace lbsp::launch::course
