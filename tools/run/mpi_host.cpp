#include "tools/run/mpi_host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "tools/run/mpi_command.hpp"
#include "tools/run/program_lookup.hpp"
#include "transport/error.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::launch {
namespace {

using job::Frame;
using job::FrameKind;

/// Unlike anything a program prints, and like nothing a terminal minds.
std::string random_mark() {
  const auto random = transport::JobKey::random();
  std::string mark = "lbsp-frame-";
  for (std::size_t i = 0; i < 8; ++i)
    mark += fmt::format("{:02x}", random.bytes[i]);
  return mark + ":";
}

}  // namespace

MpiHost::MpiHost(uv::Loop& loop, const RunOptions& options, const Placement& placement,
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
  const std::string program = find_program(spawn.program, spawn.directory);
  spawn.program = "mpirun";
  spawn.arguments = mpi_arguments(options_, placement_, mark_, program);
  try {
    find_program(spawn.program, spawn.directory);
  } catch (const UsageError&) {
    throw UsageError("--backend mpi: there is no mpirun in PATH: install openmpi-bin, or use --backend udp");
  }
  return spawn;
}

void MpiHost::take(Frame frame) {
  if (frame.kind == FrameKind::error_output) {
    take_error_output(std::move(frame));
  } else {
    events_.on_frame(std::move(frame));
  }
}

void MpiHost::take_error_output(Frame frame) {
  try {
    frame.payload = lines_.take(frame.payload, [this](Frame from_rank) {
      if (from_rank.kind == FrameKind::failure) failed_ = true;
      events_.on_frame(std::move(from_rank));
    });
  } catch (const Error& error) {
    failed_ = true;
    events_.on_frame({FrameKind::failure, 0, to_payload(job::Failure{error.what(), false})});
    return;
  }
  if (!failed_ && !frame.payload.empty()) events_.on_frame(std::move(frame));
}

}  // namespace lbsp::launch
