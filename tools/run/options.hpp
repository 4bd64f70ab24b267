#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/options.hpp"

namespace lbsp::launch {

/// What the user asked of `lbsp run`.
struct RunOptions {
  std::optional<int> ranks;      ///< none: all slots of the hosts file, or 1
  bool automatic_ranks = false;  ///< as lbsp tune advises
  std::string profile_file;      ///< of the network, by lbsp probe; empty: none
  bool rate_given = false;       ///< exchange.rate is the user's own
  std::string hosts_file;        ///< empty: this machine
  job::Backend backend = job::Backend::udp;
  transport::ExchangeOptions exchange{.redundancy = transport::Redundancy::automatic, .copies = 2};
  std::optional<transport::WanSpec> wan;
  std::uint64_t wan_seed = 1;
  std::uint16_t port_base = 0;  ///< 0: any free port
  transport::Duration start_timeout = std::chrono::seconds{30};
  std::vector<std::string> launch_agent;  ///< the command that replaces ssh; empty: ssh
  std::string remote_lbsp;                ///< lbsp's path on other hosts; empty: as here
  std::string json_file;                  ///< `-`: standard output; empty: none
  std::string trace_file;                 ///< empty: none
  bool tag_output = false;
  std::string program;
  std::vector<std::string> arguments;

  bool json_to_output() const { return json_file == "-"; }
};

/// Reads what follows `lbsp run`. Nothing means that the user asked for help, which has been printed. Throws
/// UsageError for whatever cannot be run, in itself; hosts and programs are not looked up.
std::optional<RunOptions> parse_run_options(const std::vector<std::string>& arguments);

}  // namespace lbsp::launch
