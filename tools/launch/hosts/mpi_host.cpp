#include "tools/launch/hosts/mpi_host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "tools/launch/hosts/mpi_command.hpp"
#include "tools/launch/processes/child_sockets.hpp"
#include "tools/launch/processes/program_lookup.hpp"
#include "transport/error.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::launch::hosts {
namespace {

using job::Frame;
using job::FrameKind;

/// mpirun's exit code for ORTE_ERR_COMM_FAILURE, which is all that it says of it when it is quiet.
constexpr int lost_a_host = 205;

/// Unlike anything a program prints, and like nothing a terminal minds.
std::string random_mark() {
  const auto random = transport::JobKey::random();
  std::string mark = "lbsp-frame-";
  for (std::size_t i = 0; i < 8; ++i)
    mark += fmt::format("{:02x}", random.bytes[i]);
  return mark + ":";
}

}  // namespace

MpiHost::MpiHost(uv::Loop& loop, const request::RunOptions& options, const places::Placement& placement,
                 LocalHost::Input input, HostEvents events)
    : options_(options),
      placement_(placement),
      events_(std::move(events)),
      mark_(random_mark()),
      lines_(mark_),
      mpirun_(loop, input,
              {[this](Frame frame) { take(std::move(frame)); },
               [this](const std::string& problem) { events_.on_gone(problem); }}) {}

void MpiHost::send(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::spawn:
      try {
        const auto spawn = mpirun_for(job::from_payload<job::Spawn>(frame.payload));
        mpirun_.send({FrameKind::spawn, frame.rank, to_payload(spawn)});
      } catch (const Error& error) {
        const job::Exited exited{.code = 0, .signal = 0, .problem = error.what()};
        events_.on_frame({FrameKind::exited, frame.rank, to_payload(exited)});
      }
      break;
    case FrameKind::welcome:
    case FrameKind::start:
      break;  // mpirun's environment and MPI_Init say as much
    default:
      mpirun_.send(frame);
  }
}

job::Spawn MpiHost::mpirun_for(job::Spawn spawn) const {
  const std::string program = processes::find_program(spawn.program, spawn.directory);
  spawn.program = "mpirun";
  spawn.arguments = mpi_arguments(options_, placement_, mark_, program);
  const auto require = [&](const std::string& needed, const std::string& problem) {
    try {
      processes::find_program(needed, spawn.directory);
    } catch (const UsageError&) {
      throw UsageError(problem);
    }
  };
  require("mpirun", "--backend mpi: there is no mpirun in PATH: install openmpi-bin, or use --backend udp");
  if (!options_.launch_agent.empty()) {
    const std::string& agent = options_.launch_agent.front();
    require(agent, fmt::format("--launch-agent: there is no {} here: give a command that can be run", agent));
  }
  return spawn;
}

void MpiHost::take(Frame frame) {
  if (frame.kind == FrameKind::error_output) {
    frame.payload = error_lines_.add(frame.payload);
    take_error_output(std::move(frame));
    return;
  }
  if (frame.kind == FrameKind::exited) {
    take_error_output({FrameKind::error_output, frame.rank, error_lines_.rest()});
    explain(frame);
  }
  events_.on_frame(std::move(frame));
}

void MpiHost::explain(Frame& exit) const {
  auto exited = job::from_payload<job::Exited>(exit.payload);
  if (failed_ || exited.code != lost_a_host) return;
  exited.problem = fmt::format(
      "mpirun ended with exit code {}: it has lost a host, or never reached it: see that all hosts are up "
      "and "
      "reach each other",
      lost_a_host);
  exit.payload = to_payload(exited);
}

void MpiHost::take_error_output(Frame frame) {
  try {
    frame.payload = lines_.take(frame.payload, [this](Frame from_rank) {
      if (way_of(from_rank.kind) != job::Way::of_rank) job::throw_out_of_turn();
      if (from_rank.kind == FrameKind::failure) failed_ = true;
      if (from_rank.kind == FrameKind::hello) bound_waits();
      events_.on_frame(std::move(from_rank));
    });
  } catch (const Error& error) {
    failed_ = true;
    events_.on_frame({FrameKind::failure, 0, to_payload(job::Failure{error.what(), false})});
    return;
  }
  if (!failed_ && !frame.payload.empty()) events_.on_frame(std::move(frame));
}

void MpiHost::bound_waits() {
  if (const auto pid = mpirun_.pid_of(0))
    processes::limit_unacknowledged_time(*pid, mpirun_patience(options_.exchange.peer_timeout));
}

}  // namespace lbsp::launch::hosts
