#include "tools/launch/hosts/mpi_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>
#include <unistd.h>

#include "lbsp/job/joining/mpi_job.hpp"
#include "tools/launch/request/mpi_library.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::hosts {

using places::Placement;

namespace {

/// OpenBLAS takes all processors unless told otherwise, in every rank.
std::string blas_threads(const Placement& placement) {
  if (const char* own = std::getenv("OPENBLAS_NUM_THREADS")) return own;
  int most_ranks = 1;
  for (const places::PlacedHost& host : placement.hosts)
    most_ranks = std::max(request::most_ranks, host.ranks);
  return std::to_string(std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / most_ranks));
}

std::string host_list(const Placement& placement) {
  std::vector<std::string> hosts;
  for (const places::PlacedHost& host : placement.hosts) {
    if (!host.user.empty()) {
      throw UsageError(fmt::format(
          "host {}: user={} cannot be told to mpirun: name the user in ~/.ssh/config", host.name, host.user));
    }
    hosts.push_back(fmt::format("{}:{}", host.name, host.ranks));
  }
  return fmt::format("{}", fmt::join(hosts, ","));
}

constexpr int keepalive_probes = 10;  ///< so that a network that loses some is not taken for a dead one

std::chrono::seconds whole_seconds(transport::Duration time) {
  return std::max(std::chrono::seconds{1}, std::chrono::ceil<std::chrono::seconds>(time));
}

std::chrono::seconds keepalive_time(transport::Duration peer_timeout) {
  return whole_seconds(peer_timeout / 3);
}

std::chrono::seconds keepalive_interval(transport::Duration peer_timeout) {
  return whole_seconds(peer_timeout * 2 / 3 / keepalive_probes);
}

/// How mpirun and its daemons, which are silent most of the time, notice that one of them is gone. Their own
/// defaults take 8 minutes.
std::vector<std::string> keepalive(transport::Duration peer_timeout) {
  return {"--mca", "oob_tcp_keepalive_time",   std::to_string(keepalive_time(peer_timeout).count()),
          "--mca", "oob_tcp_keepalive_intvl",  std::to_string(keepalive_interval(peer_timeout).count()),
          "--mca", "oob_tcp_keepalive_probes", std::to_string(keepalive_probes)};
}

}  // namespace

std::vector<std::string> mpi_arguments(const request::RunOptions& options, const Placement& placement,
                                       const std::string& mark, const std::string& program) {
  std::vector<std::string> arguments = {"-n", std::to_string(placement.size)};
  const auto add = [&](std::initializer_list<std::string> words) {
    arguments.insert(arguments.end(), words);
  };
  // More ranks than processors is the user's choice, and then they must not spin; nor are they bound, since
  // several jobs may share the machine.
  add({"--oversubscribe", "--bind-to", "none", "--quiet"});
  if (options.tag_output) add({"--tag-output"});
  if (::geteuid() == 0) add({"--allow-run-as-root"});
  const bool all_here = placement.hosts.size() == 1 && placement.hosts.front().local;
  if (!all_here) {
    add({"--host", host_list(placement)});
    for (auto& word : keepalive(options.exchange.peer_timeout))
      arguments.push_back(std::move(word));
  }
  if (!options.launch_agent.empty()) {
    add({"--mca", "plm_rsh_agent", fmt::format("{}", fmt::join(options.launch_agent, " "))});
  }
  add({"-x", fmt::format("{}={}", job::joining::mark_variable, mark), "-x",
       fmt::format("{}={}", job::joining::ceiling_variable, options.exchange.max_message_bytes), "-x",
       fmt::format("{}={}", job::joining::library_variable, request::mpi_library()), "-x",
       "OPENBLAS_NUM_THREADS=" + blas_threads(placement)});
  if (!options.trace_file.empty()) add({"-x", fmt::format("{}=1", job::joining::trace_variable)});
  add({program});
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  return arguments;
}

std::chrono::milliseconds mpirun_patience(transport::Duration peer_timeout) {
  return keepalive_time(peer_timeout) + keepalive_probes * keepalive_interval(peer_timeout);
}

}  // namespace lbsp::launch::hosts
