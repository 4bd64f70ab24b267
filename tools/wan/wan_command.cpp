#include "tools/wan/wan_command.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <unistd.h>

#include "tools/programs/command_line.hpp"
#include "tools/run/shell_words.hpp"
#include "tools/wan/down.hpp"
#include "tools/wan/enter.hpp"
#include "tools/wan/pair_specs.hpp"
#include "tools/wan/stats.hpp"
#include "tools/wan/up.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::wan {
namespace {

using Words = std::vector<std::string>;

constexpr const char* help =
    R"(lbsp wan: a test bed of virtual hosts on this machine, with a bad network between them (needs root)

Usage: lbsp wan COMMAND [OPTIONS]

  up      makes N hosts, joined by loss, delay and rate
  exec    runs a command on one of them, or on all
  stats   what the network did to their packets
  hosts   the hosts file and the launch agent for lbsp run
  down    ends the hosts and all that runs on them

lbsp wan COMMAND --help says more.

Example: lbsp wan up -n 4 --wan loss=10%,rtt=70ms && lbsp wan exec h0 -- ping -c 5 h1; lbsp wan down
)";

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

/// False if it was help that the user asked for, which is printed.
bool parse(CLI::App& app, const Words& arguments) {
  std::vector<const char*> words = {"lbsp wan"};
  for (const std::string& argument : arguments)
    words.push_back(argument.c_str());
  const auto text = programs::parse_command_line(app, static_cast<int>(words.size()), words.data());
  if (text) fmt::print("{}", *text);
  return !text;
}

void add_name(CLI::App& app, std::string& name) {
  app.add_option("--name", name, "of the bed; default wan")->type_name("NAME");
}

void require_root() {
  if (::geteuid() != 0)
    throw UsageError("virtual hosts need root: run lbsp wan as root, for instance with sudo");
}

void write_answer(const std::string& file, const std::string& text) {
  if (file == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream out(file);
  out << text << std::flush;
  if (!out) throw SystemError(fmt::format("cannot write {}: choose a place that can be written", file));
}

std::string run_command(const BedFolder& folder) {
  return fmt::format("lbsp run --hosts {} --launch-agent {}", folder.hosts_file().string(),
                     launch::quote_word(launch_agent(folder)));
}

std::string hosts_json(const BedFolder& folder, const BedRecord& bed) {
  nlohmann::json hosts = nlohmann::json::array();
  for (const BedHost& host : bed.hosts)
    hosts.push_back({{"name", host.name}, {"address", host.address}, {"network", host.network}});
  const nlohmann::json answer = {{"name", bed.name},
                                 {"network", bed.network},
                                 {"seed", bed.seed},
                                 {"router_pid", bed.router_pid},
                                 {"hosts", hosts},
                                 {"hosts_file", folder.hosts_file().string()},
                                 {"launch_agent", launch_agent(folder)}};
  return answer.dump(1) + "\n";
}

int up(const Words& arguments) {
  UpOptions options;
  std::string json_file;
  CLI::App app(
      "Makes virtual hosts h0, h1, ... on this machine; all that they send each other goes through a network "
      "as bad as you say.",
      "lbsp wan up");
  app.footer("Example: lbsp wan up -n 4 --wan loss=10%,rtt=70ms,rate=100Mbit");
  const auto add = [&](const char* name, const char* type, const char* text, auto set) {
    app.add_option_function<std::string>(name, set, text)->type_name(type);
  };
  add("-n", "N", "number of hosts, 1 to 250; default: as the matrix or the profile has",
      [&](const std::string& text) { options.hosts = parse_whole(text, "-n", 1, most_hosts); });
  add("--wan", "SPEC",
      "between all of them: "
      "loss=10%,rtt=70ms,rate=100Mbit,jitter=5ms,burst=4,reorder=1%,duplicate=1%,corrupt=0.1%,"
      "queue=256KiB",
      [&](const std::string& text) { options.wan = transport::parse_wan_spec(text); });
  app.add_option("--matrix", options.matrix_file,
                 "N lines of N specs: line i, word j is from host i to host j")
      ->type_name("FILE");
  app.add_option("--profile", options.profile_file, "a network that lbsp probe has measured")
      ->type_name("FILE");
  add("--seed", "S", "of the random faults; default 1", [&](const std::string& text) {
    options.seed = parse_whole(text, "--seed", std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  });
  add_name(app, options.name);
  app.add_option("--json", json_file, "the hosts for a program; - is standard output")->type_name("FILE");
  if (!parse(app, arguments)) return 0;
  require_root();
  const BedRecord bed = make_bed(options);
  const BedFolder folder(options.name);
  if (!json_file.empty()) write_answer(json_file, hosts_json(folder, bed));
  if (json_file == "-") return 0;
  fmt::print("{}: {} hosts, {} {} to {} {}, {}\n  {} -- PROGRAM\n", bed.name, bed.hosts.size(),
             bed.hosts.front().name, bed.hosts.front().address, bed.hosts.back().name,
             bed.hosts.back().address, bed.network, run_command(folder));
  return 0;
}

int exec(const Words& arguments) {
  std::string name = "wan";
  bool shell = false;
  CLI::App app(
      "Runs a command on a virtual host, in its network, and passes its exit code on.\n\nUsage: lbsp wan "
      "exec [--name NAME] [--shell] HOST|all [--] COMMAND [ARGS...]",
      "lbsp wan exec");
  app.footer("HOST is a name or an address of the bed. Example: lbsp wan exec h0 -- ping -c 5 h1");
  app.prefix_command();
  add_name(app, name);
  app.add_flag("--shell", shell, "joins the words and gives them to a shell, as ssh does");
  if (!parse(app, arguments)) return 0;
  Words rest = app.remaining();
  if (rest.empty() || rest.front().starts_with('-')) {
    throw UsageError(
        rest.empty() || rest.front() == "--"
            ? "no host: write lbsp wan exec HOST -- COMMAND"
            : fmt::format("lbsp wan exec has no option {}: see lbsp wan exec --help", rest.front()));
  }
  const std::string host = rest.front();
  rest.erase(rest.begin());
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
  if (rest.empty() || rest.front().empty())
    throw UsageError("no command: write lbsp wan exec HOST -- COMMAND");
  if (shell) rest = {"sh", "-c", fmt::format("{}", fmt::join(rest, " "))};
  require_root();
  const BedFolder folder(name);
  const BedRecord bed = folder.read();
  return host == "all" ? exec_on_all(folder, bed, rest) : exec_on(folder, bed, bed.host(host), rest);
}

int stats(const Words& arguments) {
  std::string name = "wan";
  std::string json_file;
  transport::Duration over = std::chrono::milliseconds{500};
  CLI::App app("What became of the packets of each host and each ordered pair since the bed is up.",
               "lbsp wan stats");
  app.footer("Example: lbsp wan stats --over 2s");
  add_name(app, name);
  app.add_option_function<std::string>(
         "--over", [&](const std::string& text) { over = transport::parse_duration(text); },
         "measures rates for so long; default 500ms, 0: no rates")
      ->type_name("T");
  app.add_option("--json", json_file, "the same for a program; - is standard output")->type_name("FILE");
  if (!parse(app, arguments)) return 0;
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
                               bed.name, bed.router_pid, down_command(bed.name)));
}

int hosts(const Words& arguments) {
  std::string name = "wan";
  std::string json_file;
  CLI::App app("Prints how to run a program over the bed's hosts.", "lbsp wan hosts");
  app.footer("Example: lbsp wan hosts --json -");
  add_name(app, name);
  app.add_option("--json", json_file, "the hosts for a program; - is standard output")->type_name("FILE");
  if (!parse(app, arguments)) return 0;
  require_root();
  const BedFolder folder(name);
  const BedRecord bed = folder.read();
  if (!json_file.empty()) write_answer(json_file, hosts_json(folder, bed));
  if (json_file != "-") fmt::print("{} -- PROGRAM\n", run_command(folder));
  return 0;
}

int down(const Words& arguments) {
  std::string name = "wan";
  CLI::App app("Ends the hosts of a bed, and all that runs on them.", "lbsp wan down");
  app.footer("Example: lbsp wan down");
  add_name(app, name);
  if (!parse(app, arguments)) return 0;
  require_root();
  end_bed(BedFolder(name));
  return 0;
}

}  // namespace

int run_wan(const Words& arguments) {
  const std::string command = arguments.empty() ? "" : arguments.front();
  const Words rest = arguments.empty() ? Words{} : Words(arguments.begin() + 1, arguments.end());
  if (command == "up") return up(rest);
  if (command == "exec") return exec(rest);
  if (command == "stats") return stats(rest);
  if (command == "hosts") return hosts(rest);
  if (command == "down") return down(rest);
  if (command == "--help" || command == "-h" || command == "help") {
    fmt::print("{}", help);
    return 0;
  }
  throw UsageError(fmt::format("{}: there are lbsp wan up, exec, stats, hosts and down; see lbsp wan --help",
                               command.empty() ? "lbsp wan what?" : "lbsp wan has no " + command));
}

}  // namespace lbsp::wan
