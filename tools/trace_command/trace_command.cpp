#include "tools/trace_command/trace_command.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/command_line/text_file.hpp"
#include "tools/trace_command/otf2.hpp"
#include "tools/trace_command/perfetto.hpp"
#include "tools/trace_command/qlog.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp::trace_command {
namespace {

constexpr std::size_t most_bytes = std::size_t{2} << 30;

constexpr const char* help =
    R"(The trace of a run for the viewers of others.

Usage: lbsp trace convert TRACE --to perfetto|otf2|qlog -o PATH

  convert   writes a trace in another form

lbsp trace convert --help says more; docs/trace.md describes traces.

Example: lbsp trace convert fft.trace --to perfetto -o fft.json
)";

constexpr const char* footer =
    R"(perfetto is the JSON that https://ui.perfetto.dev and chrome://tracing open. otf2 is an archive of the Open Trace
Format 2, for Vampir and such: PATH becomes a folder with trace.otf2 in it. qlog is for https://qvis.quictools.info and
such: PATH becomes a folder with a file for each pair of ranks, of a run with --trace-packets.

Example: lbsp run -n 4 --trace fft.trace -- fft2d --size 2048 && lbsp trace convert fft.trace --to perfetto -o fft.json)";

/// How well the clocks of the ranks are known, in words.
std::string text_of(const trace_file::TimeLines& lines, std::uint64_t supersteps) {
  const double worst = *std::ranges::max_element(lines.errors);
  if (supersteps == 0) return "clocks are not aligned: there is no superstep that all ranks have done";
  if (!std::isfinite(worst)) return "clocks are not aligned: records of several supersteps do not tell how";
  return fmt::format("clocks are aligned within {:.3g} ms", 1e3 * worst);
}

std::string text_of(const std::string& path, const trace_file::Trace& trace, const QlogSummary& written) {
  const std::string clocks =
      std::isfinite(written.clock_error)
          ? fmt::format("clocks of each pair are aligned within {:.3g} ms", 1e3 * written.clock_error)
          : "clocks are not aligned: of some pairs nothing came in one of the directions";
  const std::string dropped =
      written.dropped == 0 ? "" : fmt::format("; {} were not kept", counted(written.dropped, "older event"));
  return fmt::format("{}: {}, {} of ranks, {}{}, {}\n", path, counted(trace.ranks(), "rank"),
                     counted(written.pairs, "pair"), counted(written.events, "event"), dropped, clocks);
}

void convert(const std::vector<std::string>& words) {
  std::string trace_path;
  std::string form;
  std::string path;
  command_line::CommandLine line("lbsp trace convert", "Writes the trace of a run in another form.", footer);
  line.add("TRACE", trace_path, "FILE", "what lbsp run --trace has written");
  line.add_choice("--to", form, {"perfetto", "otf2", "qlog"}, "the form: perfetto, otf2 or qlog");
  line.add("-o", path, "PATH", "the file to write; for otf2 and qlog a new folder");
  if (!line.parse(words)) return;
  if (trace_path.empty()) throw UsageError("no trace: give the file that lbsp run --trace has written");
  if (form.empty()) throw UsageError("--to is missing: give --to perfetto, --to otf2 or --to qlog");
  if (path.empty()) throw UsageError("-o is missing: give the file to write");
  if (path == "-" || command_line::is_same_file(path, trace_path))
    throw UsageError(fmt::format("-o {}: give the name of another file, which gets the file", path));
  const auto trace =
      trace_file::parse_trace(command_line::read_text_file(trace_path, "the trace", most_bytes), trace_path);
  if (form == "qlog") {
    command_line::write_output(text_of(path, trace, write_qlog(path, trace)));
    return;
  }
  const auto lines = trace_file::align(trace);
  if (form == "otf2") {
    write_otf2(path, trace, lines);
  } else {
    command_line::AtomicFile file(path);
    file.write(to_perfetto(trace, lines));
    file.commit();
  }
  command_line::write_output(fmt::format("{}: {}, {}, {}\n", path, counted(trace.ranks(), "rank"),
                                         counted(trace.supersteps(), "superstep"),
                                         text_of(lines, trace.supersteps())));
}

}  // namespace

int run_trace(const std::vector<std::string>& words) {
  const std::string subcommand = words.empty() ? "" : words.front();
  if (subcommand == "convert") {
    convert({words.begin() + 1, words.end()});
  } else if (subcommand == "--help" || subcommand == "-h") {
    command_line::write_output(help);
  } else if (subcommand.empty()) {
    throw UsageError("no subcommand of lbsp trace: use convert");
  } else {
    throw UsageError(fmt::format("no subcommand {} of lbsp trace: use convert", subcommand));
  }
  return 0;
}

}  // namespace lbsp::trace_command
