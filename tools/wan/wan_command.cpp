#include "tools/wan/wan_command.hpp"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <unistd.h>

#include "tools/command_line/answer_version.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/named_value.hpp"
#include "tools/command_line/shell_words.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/command_line/whole_number.hpp"
#include "tools/wan/bed/down.hpp"
#include "tools/wan/bed/enter.hpp"
#include "tools/wan/change.hpp"
#include "tools/wan/network/pair_specs.hpp"
#include "tools/wan/stats.hpp"
#include "tools/wan/up.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::wan {

using bed::BedFolder;
using bed::BedHost;
using bed::BedRecord;

namespace {

using command_line::CommandLine;
using command_line::whole_number;
using Words = std::vector<std::string>;

constexpr const char* help =
    R"(lbsp wan: a test bed of virtual hosts on this machine, with a bad network between them (needs root)

Usage: lbsp wan COMMAND [OPTIONS]

  up      makes N hosts, joined by loss, delay and rate
  change  makes that network another, while it is in use
  exec    runs a command on one of them, or on all
  stats   what the network did to their packets
  hosts   the hosts file and the launch agent for lbsp run
  down    ends the hosts and all that runs on them

lbsp wan COMMAND --help says more.

Example: lbsp wan up -n 4 --wan loss=10%,rtt=70ms && lbsp wan exec h0 -- ping -c 5 h1; lbsp wan down
)";

void add_name(CommandLine& line, std::string& name) {
  line.add(
      "--name", [&name](const std::string& text) { name = text; }, "NAME", "name of the bed; default wan");
}

void require_root() {
  if (::geteuid() != 0)
    throw UsageError("virtual hosts need root: run lbsp wan as root, for instance with sudo");
}

void write_answer(const std::string& file, const std::string& text) {
  if (file == "-") {
    command_line::write_output(text);
    return;
  }
  command_line::AtomicFile out(file);
  out.write(text);
  out.commit();
}

std::string run_command(const BedFolder& folder) {
  return fmt::format("lbsp run --hosts {} --launch-agent {}", folder.hosts_file().string(),
                     command_line::quote_word(launch_agent(folder)));
}

std::string hosts_json(const BedFolder& folder, const BedRecord& bed) {
  nlohmann::json hosts = nlohmann::json::array();
  for (const BedHost& host : bed.hosts)
    hosts.push_back({{"name", host.name}, {"address", host.address}, {"network", host.network}});
  const nlohmann::json answer = {{"version", command_line::answer_version},
                                 {"name", bed.name},
                                 {"network", bed.network},
                                 {"seed", bed.seed},
                                 {"router_pid", bed.router_pid},
                                 {"hosts", hosts},
                                 {"hosts_file", folder.hosts_file().string()},
                                 {"launch_agent", launch_agent(folder)}};
  return answer.dump(1) + "\n";
}

/// A bed whose hosts cannot be told as was asked for would stay, though the command has failed.
void write_hosts_or_end_bed(const std::string& file, const BedFolder& folder, const BedRecord& bed) {
  try {
    write_answer(file, hosts_json(folder, bed));
  } catch (...) {
    bed::end_bed(folder);
    throw;
  }
}

/// Nothing if it was only asked for help.
std::optional<UpOptions> up_options(const Words& arguments, std::string& json_file) {
  UpOptions options;
  CommandLine line(
      "lbsp wan up",
      "Makes virtual hosts h0, h1, ... on this machine, with a network between them that is as bad as you say.",
      "Example: lbsp wan up -n 4 --wan loss=10%,rtt=70ms,rate=100Mbit");
  line.add(
      "-n", [&](const auto& text) { options.hosts = whole_number(text, "-n", 1, network::most_hosts); }, "N",
      "number of hosts, 1 to 250; default: those of the matrix or the profile");
  line.add(
      "--wan", [&](const auto& text) { options.wan = transport::parse_wan_spec(text); }, "SPEC",
      "the network between all hosts: "
      "loss=10%,rtt=70ms,rate=100Mbit,jitter=5ms,burst=4,reorder=1%,overtake=1%,"
      "duplicate=1%,corrupt=0.1%,queue=256KiB,down=50Mbit,mtu=1280,ecn=30KiB; a queue of which nothing is said has 256KiB");
  line.add("--matrix", options.matrix_file, "FILE",
           "N lines of N specs: word j of line i is for what host i sends host j");
  line.add("--profile", options.profile_file, "FILE", "a network that lbsp probe has measured");
  line.add(
      "--seed",
      [&](const auto& text) {
        options.seed =
            whole_number<std::uint64_t>(text, "--seed", 0, std::numeric_limits<std::uint64_t>::max());
      },
      "S", "seed of the random faults; default 1");
  bool silent = false;
  line.add_flag("--no-icmp", silent,
                "packets that are too long for mtu= vanish without a word to their sender");
  bool single = false;
  line.add_flag("--no-offload", single,
                "the router reads and writes each packet by itself, as it does before Linux 6.2");
  add_name(line, options.name);
  line.add("--json", json_file, "FILE", "write the hosts as JSON; - is standard output");
  if (!line.parse(arguments)) return std::nullopt;
  options.tells = !silent;
  options.offloads = !single;
  return options;
}

int up(const Words& arguments) {
  std::string json_file;
  const auto options = up_options(arguments, json_file);
  if (!options) return 0;
  require_root();
  const BedRecord bed = make_bed(*options);
  const BedFolder folder(options->name);
  if (!json_file.empty()) write_hosts_or_end_bed(json_file, folder, bed);
  if (json_file == "-") return 0;
  fmt::print("{}: {} hosts, {} {} to {} {}, {}\n  {} -- PROGRAM\n", bed.name, bed.hosts.size(),
             bed.hosts.front().name, bed.hosts.front().address, bed.hosts.back().name,
             bed.hosts.back().address, bed.network, run_command(folder));
  return 0;
}

int change(const Words& arguments) {
  std::string name = "wan";
  Change what;
  CommandLine line("lbsp wan change", "Changes the network of a bed while programs use it.",
                   "Example: lbsp wan change --wan rate=50Mbit --from h1; packets under way keep their time");
  add_name(line, name);
  line.add("--wan", what.spec, "SPEC",
           "the properties that change, such as loss=5%,mtu=1280; the others stay");
  line.add_flag("--reset", what.reset, "with --wan: the others are as in a perfect network");
  line.add("--from", what.from, "HOST", "only for what this host sends; default: all hosts");
  line.add("--to", what.to, "HOST", "only for what is sent to this host; default: all hosts");
  line.add("--matrix", what.matrix_file, "FILE", "the whole network anew, as for lbsp wan up");
  if (!line.parse(arguments)) return 0;
  require_root();
  const BedRecord bed = change_bed(BedFolder(name), what);
  fmt::print("{}: {}\n", bed.name, bed.network);
  return 0;
}

int exec(const Words& arguments) {
  std::string name = "wan";
  bool shell = false;
  CommandLine line("lbsp wan exec",
                   "Runs a command on a virtual host, in its network, and passes its exit code on.",
                   "HOST is a name or an address of the bed. Example: lbsp wan exec h0 -- ping -c 5 h1");
  line.leave_rest("HOST|all -- COMMAND [ARGS…]");
  add_name(line, name);
  line.add_flag("--shell", shell, "join the words and give them to a shell, as ssh does");
  if (!line.parse(arguments)) return 0;
  Words rest = line.rest();
  if (rest.empty() || rest.front().starts_with('-')) {
    throw UsageError(rest.empty() || rest.front() == "--"
                         ? "no host: write lbsp wan exec HOST -- COMMAND"
                         : fmt::format("no option {}: see lbsp wan exec --help", rest.front()));
  }
  const std::string host = rest.front();
  rest.erase(rest.begin());
  if (!rest.empty() && rest.front().starts_with("--") && rest.front() != "--")
    throw UsageError(
        fmt::format("{} behind the host would be the command: write options before it: lbsp wan exec {} … {}",
                    rest.front(), rest.front(), host));
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
  if (rest.empty() || rest.front().empty())
    throw UsageError("no command: write lbsp wan exec HOST -- COMMAND");
  if (shell) rest = {"sh", "-c", fmt::format("{}", fmt::join(rest, " "))};
  require_root();
  const BedFolder folder(name);
  const BedRecord bed = folder.read();
  return host == "all" ? bed::exec_on_all(folder, bed, rest)
                       : bed::exec_on(folder, bed, bed.host(host), rest);
}

int stats(const Words& arguments) {
  std::string name = "wan";
  std::string json_file;
  transport::Duration over = std::chrono::milliseconds{500};
  CommandLine line(
      "lbsp wan stats",
      "Shows what happened to the packets of each host and each ordered pair since the bed came up.",
      "Example: lbsp wan stats --over 2s");
  add_name(line, name);
  line.add(
      "--over",
      [&](const std::string& text) {
        over = command_line::named_value("--over", text, transport::parse_duration);
      },
      "T", "measures rates for so long; default 500ms, 0: no rates");
  line.add("--json", json_file, "FILE", "write the same as JSON; - is standard output");
  if (!line.parse(arguments)) return 0;
  require_root();
  const BedFolder folder(name);
  const BedRecord bed = folder.read();
  const bool measures = over > transport::Duration::zero() && bed.router_alive();
  const auto start = std::chrono::steady_clock::now();
  const BedCounts before = count(folder, bed);
  if (measures) std::this_thread::sleep_for(over);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  const BedCounts now = measures ? count(folder, bed) : before;
  const double seconds = measures ? passed.count() : 0;
  if (!json_file.empty()) write_answer(json_file, stats_json(bed, before, now, seconds));
  if (json_file != "-") fmt::print("{}", stats_text(bed, before, now, seconds));
  if (bed.router_alive()) return 0;
  std::fflush(stdout);
  throw UsageError(fmt::format("the router of the bed {} (process {}) has died, and its hosts with it: {}",
                               bed.name, bed.router_pid, bed::down_command(bed.name)));
}

int hosts(const Words& arguments) {
  std::string name = "wan";
  std::string json_file;
  CommandLine line("lbsp wan hosts", "Prints how to run a program over the bed's hosts.",
                   "Example: lbsp wan hosts --json -");
  add_name(line, name);
  line.add("--json", json_file, "FILE", "write the hosts as JSON; - is standard output");
  if (!line.parse(arguments)) return 0;
  require_root();
  const BedFolder folder(name);
  const BedRecord bed = folder.read();
  if (!json_file.empty()) write_answer(json_file, hosts_json(folder, bed));
  if (json_file != "-") fmt::print("{} -- PROGRAM\n", run_command(folder));
  return 0;
}

int down(const Words& arguments) {
  std::string name = "wan";
  CommandLine line("lbsp wan down", "Ends the hosts of a bed, and everything that runs on them.",
                   "Example: lbsp wan down");
  add_name(line, name);
  if (!line.parse(arguments)) return 0;
  require_root();
  bed::end_bed(BedFolder(name));
  return 0;
}

}  // namespace

int run_wan(const Words& arguments) {
  const std::string command = arguments.empty() ? "" : arguments.front();
  const Words rest = arguments.empty() ? Words{} : Words(arguments.begin() + 1, arguments.end());
  if (command == "up") return up(rest);
  if (command == "change") return change(rest);
  if (command == "exec") return exec(rest);
  if (command == "stats") return stats(rest);
  if (command == "hosts") return hosts(rest);
  if (command == "down") return down(rest);
  if (command == "--help" || command == "-h" || command == "help") {
    fmt::print("{}", help);
    return 0;
  }
  throw UsageError(fmt::format(
      "{}: there are lbsp wan up, change, exec, stats, hosts and down; see lbsp wan --help",
      command.empty() ? "no subcommand of lbsp wan" : fmt::format("no subcommand {} of lbsp wan", command)));
}

}  // namespace lbsp::wan
