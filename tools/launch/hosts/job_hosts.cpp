#include "tools/launch/hosts/job_hosts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/launch/hosts/advice_in.hpp"
#include "tools/launch/hosts/agent_command.hpp"
#include "tools/launch/hosts/mpi_host.hpp"
#include "tools/launch/hosts/remote_host.hpp"

namespace lbsp::launch::hosts {

HostEvents JobHosts::events_of(std::size_t host) {
  return {[this, host](const job::Frame& frame) { events_.on_frame(host, frame); },
          [this, host](const std::string& problem) {
            gone_[host] = true;
            events_.on_gone(host, problem);
          }};
}

void JobHosts::start(LocalHost::Input input) {
  if (options_.backend == job::Backend::mpi) {
    gone_.resize(1);
    hosts_.push_back(std::make_unique<MpiHost>(loop_, options_, placement_, input, events_of(0)));
    return;
  }
  gone_.resize(placement_.hosts.size());
  for (std::size_t host = 0; host < placement_.hosts.size(); ++host)
    hosts_.push_back(host_at(host, input));
}

std::unique_ptr<Host> JobHosts::host_at(std::size_t host, LocalHost::Input input) {
  const places::PlacedHost& placed = placement_.hosts[host];
  if (placed.local) return std::make_unique<LocalHost>(loop_, input, events_of(host));
  return std::make_unique<RemoteHost>(loop_, starts_, agent_command(options_, placed), events_of(host));
}

void JobHosts::signal(int number) {
  for (const auto& host : hosts_)
    host->send({job::FrameKind::signal, 0, std::string(1, static_cast<char>(number))});
}

void JobHosts::pause_output() {
  for (const auto& host : hosts_)
    host->pause_output();
}

void JobHosts::resume_output() {
  for (const auto& host : hosts_)
    host->resume_output();
}

std::string JobHosts::why_unreachable(std::size_t host, const std::string& problem) const {
  const std::string& name = placement_.hosts[host].name;
  if (has_advice_in(problem)) return fmt::format("host {}: {}", name, problem);
  if (!unanswered(host))
    return fmt::format("host {}: {}: see whether it is up, and what ended lbsp or the connection there", name,
                       problem);
  return fmt::format("host {}: {}: check that this command, and lbsp there, can be run without asking: {}",
                     name, problem, fmt::join(agent_command(options_, placement_.hosts[host]), " "));
}

void JobHosts::finish() {
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    if (!gone_[host]) hosts_[host]->finish();
  }
}

void JobHosts::kill() {
  for (const auto& host : hosts_)
    host->kill();
}

bool JobHosts::all_gone() const {
  return std::ranges::all_of(gone_, [](bool gone) { return gone; });
}

}  // namespace lbsp::launch::hosts
