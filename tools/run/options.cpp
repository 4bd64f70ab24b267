#include "tools/run/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <utility>

#include "tools/programs/command_line.hpp"
#include "tools/run/redundancy_option.hpp"
#include "tools/run/shell_words.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {
namespace {

constexpr int max_ranks = 65535;

constexpr const char* footer =
    R"(Write lbsp run [OPTIONS] [--] PROGRAM [ARGS...]: PROGRAM is a path, or the name of a ready program (matmul, bitonic_sort, fft2d, jacobi) or of one in PATH; what follows it is its own.
Its output passes through; the report and all errors go to standard error.

Example: lbsp run -n 4 --wan loss=10%,rtt=20ms -- matmul --size 1024 --verify)";

template <class Number>
Number parse_whole(const std::string& text, const char* option, Number least, Number most) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  if (!whole || value < static_cast<std::uint64_t>(least) || value > static_cast<std::uint64_t>(most)) {
    throw UsageError(fmt::format("{} {}: choose a whole number from {} to {}", option, text, least, most));
  }
  return static_cast<Number>(value);
}

void set_ranks(RunOptions& options, const std::string& text) {
  options.automatic_ranks = text == "auto";
  if (!options.automatic_ranks) options.ranks = parse_whole(text, "-n", 1, max_ranks);
}

void set_backend(RunOptions& options, const std::string& text) {
  if (text == "udp") {
    options.backend = job::Backend::udp;
  } else if (text == "threads") {
    options.backend = job::Backend::threads;
  } else if (text == "mpi") {
#ifdef LBSP_WITH_MPI
    options.backend = job::Backend::mpi;
#else
    throw UsageError(
        "--backend mpi: this lbsp was built without MPI: install libopenmpi-dev and openmpi-bin and build "
        "again, or use udp or threads");
#endif
  } else {
    throw UsageError(fmt::format("--backend {}: use udp, mpi or threads", text));
  }
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

transport::Duration parse_positive_duration(const std::string& text, const char* option) {
  const auto value = transport::parse_duration(text);
  if (value <= transport::Duration::zero())
    throw UsageError(fmt::format("{} {}: choose more than 0", option, text));
  return value;
}

/// What must be read in the order of the command line's meaning, not of its words.
struct Raw {
  std::optional<std::string> copies;
  std::optional<std::string> redundancy;
  std::optional<std::string> rate;
};

/// Adds an option of which every text goes to `set`, which throws UsageError.
void add(CLI::App& app, const char* name, const std::function<void(const std::string&)>& set,
         const char* help, const char* type) {
  app.add_option_function<std::string>(name, set, help)->type_name(type);
}

void add_network_options(CLI::App& app, RunOptions& options, Raw& raw) {
  app.add_option("--copies", raw.copies,
                 "times every segment is sent, 1 to 16, or auto (default): as it pays")
      ->type_name("K");
  app.add_option("--redundancy", raw.redundancy,
                 "against loss: auto (default), copies, coded (repair segments), or none")
      ->type_name("KIND");
  add(
      app, "--backend", [&](const auto& text) { set_backend(options, text); },
      "udp (default); mpi: Open MPI, by its mpirun; or threads: all ranks in one process", "NAME");
  add(
      app, "--wan", [&](const auto& text) { options.wan = transport::parse_wan_spec(text); },
      "a bad network to rehearse: loss=10%,rtt=70ms,rate=100Mbit,jitter=5ms,burst=4,reorder=1%,duplicate=1%,"
      "corrupt=0.1%,queue=256KiB",
      "SPEC");
  add(
      app, "--seed",
      [&](const auto& text) {
        options.wan_seed =
            parse_whole(text, "--seed", std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
      },
      "of the random faults of --wan; default 1", "S");
  add(
      app, "--recovery", [&](const auto& text) { set_recovery(options, text); },
      "receiver (default), or rounds or whole-round of the L-BSP model", "NAME");
  add(
      app, "--peer-timeout",
      [&](const auto& text) {
        options.exchange.peer_timeout = parse_positive_duration(text, "--peer-timeout");
      },
      "silence after which a rank is given up; default 15s", "T");
  app.add_option("--rate", raw.rate,
                 "what a rank may send; default: the rate of --wan or --profile; else 1Gbit within one host, "
                 "and between hosts what is found, from 100Mbit on")
      ->type_name("R");
  app.add_option("--profile", options.profile_file,
                 "what lbsp probe measured: to begin with, and for -n auto")
      ->type_name("FILE");
  add(
      app, "--datagram",
      [&](const auto& text) { options.exchange.datagram_bytes = transport::parse_size(text); },
      "largest UDP payload, 256 to 65507 bytes; default 1400", "BYTES");
  add(
      app, "--max-message",
      [&](const auto& text) { options.exchange.max_message_bytes = transport::parse_size(text); },
      "most that one rank sends another in a superstep; default 4GiB", "SIZE");
  add(
      app, "--port",
      [&](const auto& text) { options.port_base = parse_whole<std::uint16_t>(text, "--port", 1, 65535); },
      "rank r uses UDP port BASE + r; default: any that is free", "BASE");
}

void add_job_options(CLI::App& app, RunOptions& options) {
  add(
      app, "-n", [&](const auto& text) { set_ranks(options, text); },
      "number of ranks, or auto: as lbsp tune advises; default: all slots of the hosts file, or 1", "N");
  app.add_option("--hosts", options.hosts_file,
                 "where to run: lines of HOST [slots=N] [user=NAME] [address=ADDRESS]")
      ->type_name("FILE");
  add(
      app, "--launch-agent", [&](const auto& text) { options.launch_agent = split_words(text); },
      "instead of ssh: run as CMD HOST LBSP agent", "CMD");
  app.add_option("--remote-lbsp", options.remote_lbsp, "this command's path on the hosts; default: as here")
      ->type_name("PATH");
  add(
      app, "--start-timeout",
      [&](const auto& text) { options.start_timeout = parse_positive_duration(text, "--start-timeout"); },
      "for all ranks to be there; default 30s", "T");
  app.add_flag("--tag-output", options.tag_output, "the rank before every line of output");
  app.add_option("--json", options.json_file, "the report for a program; - is standard output")
      ->type_name("FILE");
  app.add_option("--trace", options.trace_file, "what every superstep cost every rank, as lines of JSON")
      ->type_name("FILE");
}

void settle(RunOptions& options, const Raw& raw) {
  set_redundancy(options.exchange, raw.copies, raw.redundancy);
  if (raw.rate) {
    options.exchange.rate = transport::parse_rate(*raw.rate);
    options.rate_given = true;
  } else if (options.wan && options.wan->rate) {
    options.exchange.rate = *options.wan->rate;
  }
  transport::validate(options.exchange);
  if (options.backend == job::Backend::threads && !options.hosts_file.empty()) {
    throw UsageError("--backend threads with --hosts: threads are of one machine: leave one of them out");
  }
  if (options.backend == job::Backend::threads && options.wan) {
    throw UsageError("--backend threads with --wan: threads send no datagrams: use --backend udp");
  }
  if (options.backend == job::Backend::mpi && options.wan) {
    throw UsageError(
        "--backend mpi with --wan: lbsp cannot spoil what MPI sends: use lbsp wan, which makes hosts with "
        "such "
        "a network between them");
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
  CLI::App app("Runs a BSP program on N ranks, here or over the hosts of a file.", "lbsp run");
  app.footer(footer);
  app.prefix_command();
  add_job_options(app, options);
  add_network_options(app, options, raw);
  std::vector<const char*> words = {"lbsp run"};
  for (const std::string& argument : arguments)
    words.push_back(argument.c_str());
  const auto help = programs::parse_command_line(app, static_cast<int>(words.size()), words.data());
  if (help) {
    fmt::print("{}", *help);
    return std::nullopt;
  }
  take_program(options, app.remaining());
  settle(options, raw);
  return options;
}

}  // namespace lbsp::launch
