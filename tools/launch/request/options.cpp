#include "tools/launch/request/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/named_value.hpp"
#include "tools/command_line/shell_words.hpp"
#include "tools/command_line/whole_number.hpp"
#include "tools/launch/request/mpi_library.hpp"
#include "tools/launch/request/option_combinations.hpp"
#include "tools/launch/request/positive_duration.hpp"
#include "tools/launch/request/redundancy_option.hpp"
#include "tools/launch/request/survival_options.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::request {
namespace {

using command_line::CommandLine;
using command_line::named_value;
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

void set_backend(RunOptions& options, const std::string& text) {
  options.backend_given = true;
  if (text == "udp") {
    options.backend = job::Backend::udp;
  } else if (text == "threads") {
    options.backend = job::Backend::threads;
  } else if (text == "mpi") {
    static_cast<void>(mpi_library());  // or say at once that there is none
    options.backend = job::Backend::mpi;
  } else {
    throw UsageError(fmt::format("--backend {}: use udp, mpi or threads", text));
  }
}

void set_sharing(RunOptions& options, const std::string& text) {
  static const std::pair<const char*, Sharing> all[] = {
      {"auto", Sharing::automatic}, {"on", Sharing::on}, {"off", Sharing::off}};
  const auto found = std::ranges::find(all, text, &std::pair<const char*, Sharing>::first);
  if (found == std::end(all)) throw UsageError(fmt::format("--shared-memory {}: use auto, on or off", text));
  options.sharing = found->second;
}

void set_recovery(RunOptions& options, const std::string& text) {
  using transport::Recovery;
  static const std::pair<const char*, Recovery> all[] = {
      {"receiver", Recovery::receiver}, {"rounds", Recovery::rounds}, {"whole-round", Recovery::whole_round}};
  const auto found = std::ranges::find(all, text, &std::pair<const char*, Recovery>::first);
  if (found == std::end(all)) {
    throw UsageError(fmt::format("--recovery {}: use receiver, rounds or whole-round", text));
  }
  options.exchange.recovery = found->second;
}

/// A rank that waits for its turn on a busy processor is silent for some tens of milliseconds.
constexpr transport::Duration least_peer_timeout = std::chrono::milliseconds{100};

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

/// What must be read in the order of the command line's meaning, not of its words.
struct Raw {
  RedundancyWords redundancy;
  std::optional<std::string> rate;
};

void add_network_options(CommandLine& line, RunOptions& options, Raw& raw) {
  line.add(
      "--copies", raw.redundancy.copies, "K[,L]",
      "how often every segment is sent, 1 to 16 (L: in messages of several segments), or auto (default): chosen "
      "by the model");
  line.add("--redundancy", raw.redundancy.redundancy, "KIND",
           "protection against loss: auto (default), copies, coded (redundant segments), or none");
  line.add("--repair", raw.redundancy.repair, "R",
           "always send R coded segments, 0 to 128, after each block of a message of several segments");
  line.add("--tail", raw.redundancy.tail, "N",
           "with --repair or --copies: protect only the last N segments of messages of several segments");
  line.add(
      "--backend", [&](const auto& text) { set_backend(options, text); }, "NAME",
      "udp (default, but see --shared-memory); mpi: Open MPI, started by mpirun; threads: all ranks in one process");
  line.add(
      "--shared-memory", [&](const auto& text) { set_sharing(options, text); }, "WHEN",
      "whether ranks of one host exchange through memory: on; off; auto (default): unless an option here asks for "
      "datagrams");
  line.add(
      "--wan", [&](const auto& text) { options.wan = transport::parse_pretended_wan_spec(text); }, "SPEC",
      "pretend such a network: loss=10%,rtt=70ms,rate=100Mbit,jitter=5ms,burst=4,reorder=1%,overtake=1%,"
      "duplicate=1%,corrupt=0.1%,queue=256KiB,mtu=1280,ecn=30KiB");
  line.add(
      "--seed",
      [&](const auto& text) {
        options.wan_seed =
            whole_number<std::uint64_t>(text, "--seed", 0, std::numeric_limits<std::uint64_t>::max());
      },
      "S", "seed of the random faults of --wan; default 1");
  line.add(
      "--recovery", [&](const auto& text) { set_recovery(options, text); }, "NAME",
      "how lost segments are sent again: receiver (default); rounds or whole-round, as in the L-BSP paper");
  line.add(
      "--peer-timeout",
      [&](const auto& text) {
        options.exchange.peer_timeout = positive_duration(text, "--peer-timeout");
        if (options.exchange.peer_timeout < least_peer_timeout)
          throw UsageError(fmt::format("--peer-timeout {}: no rank can be heard so often: choose {} or more",
                                       text, transport::format_duration(least_peer_timeout)));
      },
      "T", "give up a rank that has been silent for so long, 100ms or more; default 15s");
  line.add(
      "--rate", raw.rate, "R",
      "the most that the ranks of a host send to other hosts per second, or a rank where there is one host; default: the rate of --wan or --profile; else 1Gbit within one host, "
      "and between hosts a rate that is found, beginning with 100Mbit");
  line.add("--profile", options.profile_file, "FILE",
           "the network as lbsp probe measured it: for the first plans, and for -n auto");
  line.add(
      "--datagram",
      [&](const auto& text) {
        options.exchange.datagram_bytes = named_value("--datagram", text, transport::parse_size);
        options.datagram_given = true;
      },
      "BYTES",
      "the largest UDP payload, 256 to 65507 bytes; default: what each path is found to carry, up to 8972");
  line.add(
      "--max-message",
      [&](const auto& text) {
        options.exchange.max_message_bytes = named_value("--max-message", text, transport::parse_size);
      },
      "SIZE", "the most that one rank sends another in a superstep; default 4GiB");
  line.add(
      "--port",
      [&](const auto& text) { options.port = whole_number<std::uint16_t>(text, "--port", 1, 65535); }, "PORT",
      "the UDP port of every host, shared by its ranks; default: each rank takes a free one");
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

/// Not those that also mean something without datagrams.
bool asks_for_datagrams(const RunOptions& options, const Raw& raw) {
  const bool redundancy =
      raw.redundancy.copies || raw.redundancy.redundancy || raw.redundancy.repair || raw.redundancy.tail;
  const bool recovery = options.exchange.recovery != transport::Recovery::receiver;
  return options.wan || raw.rate || redundancy || recovery || options.datagram_given || options.port != 0 ||
         !options.profile_file.empty() || options.trace_packets > 0 ||
         (options.backend_given && options.backend == job::Backend::udp);
}

void settle(RunOptions& options, const Raw& raw) {
  options.network_given = asks_for_datagrams(options, raw);
  set_redundancy(options.exchange, raw.redundancy);
  if (raw.rate) {
    options.exchange.rate = named_value("--rate", *raw.rate, transport::parse_rate);
    options.rate_given = true;
  } else if (options.wan && options.wan->rate) {
    options.exchange.rate = *options.wan->rate;
  }
  transport::validate(options.exchange);
  check_combinations(options);
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
    throw UsageError(fmt::format("lbsp run has no option {}: see lbsp run --help", rest.front()));
  }
  if (rest.empty()) throw UsageError("no program to run: write lbsp run [OPTIONS] -- PROGRAM [ARGS…]");
  options.program = rest.front();
  options.arguments.assign(rest.begin() + 1, rest.end());
  if (options.program.empty()) throw UsageError("the program's name is empty: give a path or a name");
}

}  // namespace

std::optional<RunOptions> parse_run_options(const std::vector<std::string>& arguments) {
  RunOptions options;
  Raw raw;
  CommandLine line("lbsp run", "Runs a BSP program on N ranks, here or on the hosts of a file.", run_footer);
  line.leave_rest("-- PROGRAM [ARGS…]");
  add_job_options(line, options);
  add_network_options(line, options, raw);
  if (!line.parse(arguments)) return std::nullopt;
  take_program(options, line.rest());
  settle(options, raw);
  take_allocation(options);
  check_reach(options);
  check_files(options);
  return options;
}

}  // namespace lbsp::launch::request
