#include "tools/check/hosts_command.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "tools/check/answer.hpp"
#include "tools/check/check.hpp"
#include "tools/check/worker.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/shell_words.hpp"
#include "tools/command_line/signal_name.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/launch/processes/program_lookup.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/quantity.hpp"

namespace lbsp::check {
namespace {

constexpr const char* footer =
    R"(It starts lbsp on every host as lbsp run would, lets all send datagrams to all, and says what is wrong with which host
and how to mend it: hosts that do not answer or have another version, UDP ports that firewalls keep shut, small MTUs and
buffers, clocks, a program that is not there. It takes about 5 s and ends with exit code 1 if a job would fail.

Example: lbsp hosts check hosts.txt --port 4000 --program ./program)";

struct Options {
  bool worker = false;
  std::string json;
  launch::request::RunOptions run;
};

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  std::uint64_t port = 0;
  command_line::CommandLine line("lbsp hosts check",
                                 "Finds out what is wrong with hosts before a job runs there.", footer);
  line.add("FILE", options.run.hosts_file, "FILE", "the hosts file, as for lbsp run --hosts");
  line.add("--program", options.run.program, "PROGRAM", "see whether the hosts have this program too");
  line.add_whole("--port", port, {0, 65535},
                 "the UDP port that lbsp run --port will use; 0: any that is free");
  line.add(
      "--launch-agent", [&](const auto& text) { options.run.launch_agent = command_line::split_words(text); },
      "CMD", "replaces ssh: lbsp runs CMD HOST LBSP agent");
  line.add("--remote-lbsp", options.run.remote_lbsp, "PATH",
           "the path of lbsp on the hosts; default: the same as here");
  line.add(
      "--start-timeout",
      [&](const auto& text) {
        options.run.start_timeout = transport::parse_duration(text);
        if (options.run.start_timeout <= transport::Duration::zero() ||
            options.run.start_timeout > std::chrono::hours{24})
          throw UsageError(fmt::format("--start-timeout {}: choose more than 0 and at most 24h", text));
      },
      "T", "how long to wait until all hosts have answered; default 30s");
  line.add("--json", options.json, "FILE", "write what was seen for a program; - is standard output");
  line.add_flag("--worker", options.worker, "started by another lbsp hosts check");
  line.hide("--worker");
  if (!line.parse(words)) return std::nullopt;
  options.run.port = static_cast<std::uint16_t>(port);
  if (!options.worker && options.run.hosts_file.empty())
    throw UsageError("no hosts: give the hosts file, as in lbsp hosts check hosts.txt");
  return options;
}

/// Those hosts of the file that have an address; of the others, `lost` gets what to say.
launch::places::Placement place(const launch::request::RunOptions& options, std::vector<HostSeen>& lost) {
  std::vector<launch::request::HostEntry> found;
  for (const launch::request::HostEntry& entry : launch::request::read_hosts_file(options.hosts_file)) {
    try {
      launch::places::require_address(entry);
      found.push_back(entry);
    } catch (const UsageError& error) {
      std::string why = error.what();
      const std::string name = fmt::format("host {}: ", entry.name);
      if (why.starts_with(name)) why.erase(0, name.size());
      lost.push_back({.name = entry.name, .silence = why});
    }
  }
  return found.empty() ? launch::places::Placement{} : launch::places::place_ranks_on(options, found);
}

int check(Options options) {
  command_line::require_other_file("--json", options.json, options.run.hosts_file);
  command_line::require_other_file("--json", options.json, options.run.program);
  if (!options.run.program.empty()) {
    std::error_code gone;
    options.run.program =
        launch::processes::find_program(options.run.program, std::filesystem::current_path(gone).string());
  }
  std::optional<command_line::AtomicFile> file;
  const bool to_output = options.json == "-";
  std::vector<HostSeen> lost;
  auto placement = place(options.run, lost);
  if (!options.json.empty() && !to_output) file.emplace(options.json);
  Seen seen = Check(options.run, std::move(placement)).run();
  if (seen.interrupted_by != 0) {
    print_error(
        fmt::format("ended by {}, before all was seen", command_line::signal_name(seen.interrupted_by)));
    return 128 + seen.interrupted_by;
  }
  std::ranges::move(lost, std::back_inserter(seen.hosts));
  const auto found = findings(seen);
  if (file) {
    file->write(as_json(seen, found));
    file->commit();
  }
  command_line::write_output(to_output ? as_json(seen, found) : as_text(seen, found));
  const auto grave = std::ranges::count_if(found, &Finding::grave);
  if (grave == 0) return 0;
  throw Error(fmt::format("{} would keep a job from running on these hosts: see the lines above",
                          counted(static_cast<std::size_t>(grave), "thing")));
}

}  // namespace

int run_hosts(const std::vector<std::string>& words) {
  if (words.empty() || words[0] != "check") {
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
      parse({"--help"});
      return 0;
    }
    throw UsageError(words.empty() ? "no subcommand of lbsp hosts: give lbsp hosts check FILE"
                                   : fmt::format("no subcommand {} of lbsp hosts: give lbsp hosts check FILE",
                                                 words.front()));
  }
  auto options = parse({words.begin() + 1, words.end()});
  if (!options) return 0;
  return options->worker ? run_worker() : check(std::move(*options));
}

}  // namespace lbsp::check
