#include "lbsp/job/joining/mpi_job.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/member/member.hpp"
#include "lbsp/job/messages.hpp"
#include "lbsp/job/output_frames.hpp"
#include "transport/error.hpp"
#include "transport/mpi/session.hpp"
#include "transport/options.hpp"
#include "transport/thrown.hpp"

namespace lbsp::job::joining {
namespace {

using transport::MpiSession;

std::uint64_t message_ceiling() {
  std::uint64_t ceiling = transport::ExchangeOptions{}.max_message_bytes;
  if (const char* text = std::getenv(ceiling_variable)) {
    const std::string_view digits(text);
    std::from_chars(digits.data(), digits.data() + digits.size(), ceiling);
  }
  return ceiling;
}

/// Begins MPI, by the library that the launcher names. It stays loaded: MPI may have work to do at exit.
std::unique_ptr<MpiSession> open_session() {
  const char* const path = std::getenv(library_variable);
  if (path == nullptr)
    throw SystemError("--backend mpi: the launcher names no MPI library: use the same lbsp everywhere");
  // Global, because Open MPI's own plugins look there for what they need of it.
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    throw SystemError(fmt::format(
        "--backend mpi: {}: install MPI, and lbsp under the same path, on every host", ::dlerror()));
  }
  const auto open =
      reinterpret_cast<transport::OpenMpiSession>(::dlsym(library, transport::mpi_session_function));
  if (open == nullptr) {
    throw SystemError(fmt::format(
        "--backend mpi: {} is of another version than the program: build the program again", path));
  }
  return std::unique_ptr<MpiSession>(open());
}

/// Puts the frames of all ranks out through rank 0, one rank's after the other.
void deliver(MpiSession& mpi, const FrameLines& lines, std::string_view mine) {
  if (mpi.rank() == 0) std::fflush(stdout);
  mpi.bring_to_first(mine, [&](std::string_view of_one_rank) {
    FrameReader frames;
    frames.add(of_one_rank);
    while (const auto frame = frames.next())
      lines.write(stderr, *frame);
  });
}

int run_rank(MpiSession& mpi, const FrameLines& lines, const std::function<void(World&)>& program) {
  const auto rank = static_cast<std::uint16_t>(mpi.rank());
  if (rank == 0) lines.write(stderr, {FrameKind::hello, 0, to_payload(Hello{})});
  std::string frames;
  const auto tell = [&](FrameKind kind, std::string payload) {
    const Frame frame{kind, rank, std::move(payload)};
    if (kind == FrameKind::failure) {
      lines.write(stderr, frame);
    } else {
      frames += encode(frame);
    }
  };
  member::Member member(mpi.exchange(message_ceiling()), tell);
  if (std::getenv(trace_variable) != nullptr) member.account().trace();
  const bool succeeded = member.run(program);
  deliver(mpi, lines, frames);
  return succeeded ? 0 : 1;
}

}  // namespace

std::optional<std::string> inherited_mark() {
  const char* text = std::getenv(mark_variable);
  if (text == nullptr) return std::nullopt;
  std::string mark = text;
  ::unsetenv(mark_variable);
  ::unsetenv("LBSP_CONTROL_FD");
  return mark;
}

int run_under_mpi(const std::string& mark, const std::function<void(World&)>& program) {
  const FrameLines lines(mark);
  std::unique_ptr<MpiSession> mpi;
  try {
    mpi = open_session();
  } catch (...) {
    lines.write(stderr, {FrameKind::failure, 0,
                         to_payload(Failure{describe_thrown(std::current_exception()), false})});
    return 1;
  }
  return run_rank(*mpi, lines, program);
}

}  // namespace lbsp::job::joining
