#include "tools/launch/request/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/shell_words.hpp"
#include "tools/command_line/whole_number.hpp"
#include "tools/launch/request/network_options.hpp"
#include "tools/launch/request/option_combinations.hpp"
#include "tools/launch/request/positive_duration.hpp"
#include "tools/launch/request/survival_options.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::request {
namespace {

using command_line::CommandLine;
using command_line::whole_number;

constexpr const char* run_footer =
    R"(Write lbsp run [OPTIONS] [--] PROGRAM [ARGS...]. PROGRAM is a path, the name of a ready program (matmul, bitonic_sort,
fft2d, jacobi, dataflow), or the name of a program in PATH. The words after it are the program's own.
The program's output passes through. The report and all errors go to standard error.

Example: lbsp run -n 4 --wan loss=10%,rtt=20ms -- matmul --size 1024 --verify)";

void set_ranks(RunOptions& options, const std::string& text) {
  options.automatic_ranks = text == "auto";
  if (options.automatic_ranks) return;
  const auto ranks = command_line::whole_number_in(text, 1, most_ranks);
  if (!ranks)
    throw UsageError(fmt::format("-n {}: choose a whole number from 1 to {}, or auto", text, most_ranks));
  options.ranks = static_cast<Rank>(*ranks);
}

std::vector<std::string> launch_agent(const std::string& text) {
  std::vector<std::string> words = command_line::split_words(text);
  if (words.empty()) throw UsageError(fmt::format("--launch-agent '{}': give a command, such as ssh", text));
  return words;
}

/// HOST,HOST,…, each once.
std::vector<std::string> host_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    names.push_back(text.substr(start, end - start));
    if (names.back().empty())
      throw UsageError(fmt::format("--only '{}': a name is empty: write HOST,HOST", text));
    start = end + 1;
  }
  return names;
}

void add_job_options(CommandLine& line, RunOptions& options) {
  line.add(
      "-n", [&](const auto& text) { set_ranks(options, text); }, "N",
      "number of ranks, or auto: the number that lbsp tune advises; default: all slots of the hosts, or 1");
  line.add(
      "--hosts", options.hosts_file, "FILE",
      "the hosts to run on: lines of HOST [slots=N] [user=NAME] [address=ADDRESS]; default: those of the Slurm or "
      "PBS job that lbsp is in, or this machine");
  line.add(
      "--only", [&](const auto& text) { options.only = host_names(text); }, "HOST,HOST",
      "with --hosts: take only these hosts of the file, and share the ranks out among them evenly");
  line.need("--only", "--hosts");
  line.add(
      "--launch-agent", [&](const auto& text) { options.launch_agent = launch_agent(text); }, "CMD",
      "replaces ssh: lbsp runs CMD HOST LBSP agent; LBSP is quoted for a shell on HOST");
  line.add("--remote-lbsp", options.remote_lbsp, "PATH",
           "the path of lbsp on the hosts; default: the same as here");
  line.add(
      "--start-timeout",
      [&](const auto& text) { options.start_timeout = positive_duration(text, "--start-timeout"); }, "T",
      "how long to wait until all ranks have started; default 30s");
  add_survival_options(line, options);
  line.add_flag("--tag-output", options.tag_output, "put the rank before every line of output");
  line.add("--json", options.json_file, "FILE", "write the report as JSON; - is standard output");
  line.add("--trace", options.trace_file, "FILE",
           "write what every superstep cost every rank, as lines of JSON");
  line.add(
      "--trace-packets",
      [&](const auto& text) {
        options.trace_packets =
            whole_number<std::uint64_t>(text, "--trace-packets", 1, job::most_trace_packets);
      },
      "N", "with --trace: also the last N datagrams that each rank sent, got or lost, one by one");
  line.need("--trace-packets", "--trace");
}

/// Within a batch system's job, its hosts are the job's.
void take_allocation(RunOptions& options) {
  if (!options.hosts_file.empty() || options.backend == job::Backend::threads) return;
  options.allocation = allocation_in([](const char* name) { return std::getenv(name); });
  if (!options.allocation) return;
  if (options.allocation->is_this_machine()) {
    if (!options.ranks && !options.automatic_ranks) options.ranks = options.allocation->hosts.front().slots;
    options.allocation.reset();
  } else if (options.launch_agent.empty()) {
    options.launch_agent = options.allocation->agent;
  }
}

/// Once it is known whether there are other hosts.
void check_reach(const RunOptions& options) {
  if (!options.hosts_file.empty() || options.allocation) return;
  const auto refuse = [](const char* option) {
    throw UsageError(fmt::format(
        "{} without other hosts: it says how to reach them: give --hosts FILE, or leave it out", option));
  };
  if (!options.launch_agent.empty()) refuse("--launch-agent");
  if (!options.remote_lbsp.empty()) refuse("--remote-lbsp");
}

void check_files(const RunOptions& options) {
  if (options.trace_file == "-")
    throw UsageError("--trace -: standard output has the program's output: give the name of a file");
  if (!options.trace_file.empty() && command_line::is_same_file(options.json_file, options.trace_file))
    throw UsageError(fmt::format("--json and --trace both write {}: give two names", options.json_file));
  for (const std::string& input : {options.hosts_file, options.profile_file, options.program}) {
    if (!options.json_to_output()) command_line::require_other_file("--json", options.json_file, input);
    command_line::require_other_file("--trace", options.trace_file, input);
  }
}

void take_program(RunOptions& options, std::vector<std::string> rest) {
  if (!rest.empty() && rest.front() == "--") {
    rest.erase(rest.begin());
  } else if (!rest.empty() && rest.front().starts_with('-')) {
    throw UsageError(fmt::format("no option {}: see lbsp run --help", rest.front()));
  }
  if (rest.empty()) throw UsageError("no program to run: write lbsp run [OPTIONS] -- PROGRAM [ARGS…]");
  options.program = rest.front();
  options.arguments.assign(rest.begin() + 1, rest.end());
  if (options.program.empty()) throw UsageError("the program's name is empty: give a path or a name");
}

}  // namespace

std::optional<RunOptions> parse_run_options(const std::vector<std::string>& arguments) {
  RunOptions options;
  NetworkWords network;
  CommandLine line("lbsp run", "Runs a BSP program on N ranks, here or on the hosts of a file.", run_footer);
  line.leave_rest("-- PROGRAM [ARGS…]");
  add_job_options(line, options);
  add_network_options(line, options, network);
  if (!line.parse(arguments)) return std::nullopt;
  take_program(options, line.rest());
  settle_network(options, network);
  check_combinations(options);
  take_allocation(options);
  check_reach(options);
  check_files(options);
  return options;
}

}  // namespace lbsp::launch::request
