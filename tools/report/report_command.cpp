#include "tools/report/report_command.hpp"

#include <fmt/format.h>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/text_file.hpp"
#include "tools/report/page.hpp"
#include "transport/error.hpp"

namespace lbsp::report {
namespace {

constexpr std::size_t most_bytes = std::size_t{2} << 30;

constexpr const char* footer =
    R"(The page needs no network and no server. docs/trace.md says what it shows.

Example: lbsp run -n 4 --trace fft.trace -- fft2d --size 2048 && lbsp report fft.trace -o report.html)";

}  // namespace

int run_report(const std::vector<std::string>& words) {
  std::string trace;
  std::string path;
  command_line::CommandLine line("lbsp report", "One page that shows where the time of a run went.", footer);
  line.add("TRACE", trace, "FILE", "what lbsp run --trace has written");
  line.add("-o", path, "PATH", "the page to write, such as report.html");
  if (!line.parse(words)) return 0;
  if (trace.empty()) throw UsageError("no trace: give the file that lbsp run --trace has written");
  if (path.empty()) throw UsageError("-o is missing: give the page to write, such as -o report.html");
  if (path == "-" || command_line::is_same_file(path, trace))
    throw UsageError(fmt::format("-o {}: give the name of another file, which gets the page", path));
  const std::string page =
      page_of(trace_file::parse_trace(command_line::read_text_file(trace, "the trace", most_bytes), trace));
  command_line::AtomicFile file(path);
  file.write(page);
  file.commit();
  return 0;
}

}  // namespace lbsp::report
