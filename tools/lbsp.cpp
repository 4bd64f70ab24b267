// lbsp: the command. Finds the subcommand and leaves the rest to it.
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/job/joining/standard_streams.hpp"
#include "tools/check/hosts_command.hpp"
#include "tools/command_line/memory_end.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/estimate/estimate_command.hpp"
#include "tools/launch/doors/attach_command.hpp"
#include "tools/launch/doors/join_command.hpp"
#include "tools/launch/hosts/agent.hpp"
#include "tools/launch/processes/exec_child.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/launch/run_job.hpp"
#include "tools/model_command/model_command.hpp"
#include "tools/probe/probe_command.hpp"
#include "tools/report/report_command.hpp"
#include "tools/trace_command/trace_command.hpp"
#include "tools/tune/tune_command.hpp"
#include "tools/version.hpp"
#include "tools/wan/wan_command.hpp"
#include "tools/watch/watch_command.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace {

constexpr const char* help = R"(lbsp: bulk-synchronous programs over hosts of the Internet

Usage: lbsp SUBCOMMAND [OPTIONS]

  run       runs a program on N ranks, here or on other hosts, and reports what it cost
  probe     measures loss, round trip and bandwidth between hosts, and how fast they compute
  hosts     finds out what is wrong with hosts before a job runs there
  tune      finds the best copies, packet size and number of nodes for an algorithm on a network
  model     computes what supersteps over a lossy network cost, and which copies and nodes are best
  estimate  computes what a recorded run takes on machines of its own
  report    writes a page that shows where the time of a recorded run went
  trace     writes the trace of a run for the viewers of others
  watch     shows what the ranks of a running job do, and whom they wait for
  join      gives a running job a host more
  attach    shows what a job writes whose lbsp run has died, to its end
  wan       makes virtual hosts on this machine, with loss, delay and a rate between them (root)

lbsp SUBCOMMAND --help says more; lbsp --version says what this build can do on this host.

Example: lbsp run -n 4 --wan loss=10%,rtt=20ms -- matmul --size 1024 --verify
)";

int run(const std::vector<std::string>& arguments) {
  const auto options = lbsp::launch::request::parse_run_options(arguments);
  return options ? lbsp::launch::run_job(*options) : 0;
}

int dispatch(int count, char** arguments);

/// `lbsp help wan up` is `lbsp wan up --help`.
int help_on(int count, char** arguments) {
  std::string flag = "--help";
  std::vector<char*> words{arguments[0]};
  words.insert(words.end(), arguments + 2, arguments + count);
  words.push_back(flag.data());
  return dispatch(static_cast<int>(words.size()), words.data());
}

int dispatch(int count, char** arguments) {
  const std::string_view subcommand = count > 1 ? arguments[1] : "";
  if (subcommand == "help" && count > 2) return help_on(count, arguments);
  if (subcommand == "run") return run({arguments + 2, arguments + count});
  if (subcommand == "probe") return lbsp::probe::run_probe({arguments + 2, arguments + count});
  if (subcommand == "hosts") return lbsp::check::run_hosts({arguments + 2, arguments + count});
  if (subcommand == "tune") return lbsp::tune::run_tune({arguments + 2, arguments + count});
  if (subcommand == "model") return lbsp::model_command::run_model({arguments + 2, arguments + count});
  if (subcommand == "estimate") return lbsp::estimate::run_estimate({arguments + 2, arguments + count});
  if (subcommand == "report") return lbsp::report::run_report({arguments + 2, arguments + count});
  if (subcommand == "trace") return lbsp::trace_command::run_trace({arguments + 2, arguments + count});
  if (subcommand == "watch") return lbsp::watch::run_watch({arguments + 2, arguments + count});
  if (subcommand == "join") return lbsp::launch::doors::run_join({arguments + 2, arguments + count});
  if (subcommand == "attach") return lbsp::launch::doors::run_attach({arguments + 2, arguments + count});
  if (subcommand == "wan") return lbsp::wan::run_wan({arguments + 2, arguments + count});
  if (subcommand == "agent") return lbsp::launch::hosts::run_agent();
  if (subcommand == "exec-child") return lbsp::launch::processes::exec_child(count - 2, arguments + 2);
  if (subcommand == "--help" || subcommand == "-h" || subcommand == "help") {
    fmt::print("{}", help);
    return 0;
  }
  if (subcommand == "--version") {
    fmt::print("{}", lbsp::version_text());
    return 0;
  }
  if (subcommand.empty()) throw lbsp::UsageError("no subcommand: try lbsp run, or see lbsp --help");
  throw lbsp::UsageError(fmt::format(
      "no subcommand {}: there are run, probe, hosts, tune, model, estimate, report, trace, watch, join, attach and wan; see lbsp --help",
      subcommand));
}

}  // namespace

int main(int count, char** arguments) {
  lbsp::job::joining::open_standard_descriptors();
  // A file that would be longer than `ulimit -f` allows is an error like any other. Programs that lbsp starts inherit
  // what is ignored, and not a handler.
  std::signal(SIGXFSZ, [](int) {});
  try {
    const int code = dispatch(count, arguments);
    lbsp::command_line::flush_output();
    return code;
  } catch (const lbsp::Error& error) {
    lbsp::print_error(error.what());
    return 1;
  } catch (const std::bad_alloc&) {
    lbsp::print_error(lbsp::command_line::out_of_memory);
    return 1;
  } catch (const std::exception& error) {
    lbsp::print_error(lbsp::command_line::output_problem().value_or(error.what()));
    return 1;
  }
}
