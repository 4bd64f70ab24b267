#include "lbsp/job/mpi_job.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string_view>
#include <vector>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/member.hpp"
#include "lbsp/job/messages.hpp"
#include "lbsp/job/output_frames.hpp"
#include "transport/mpi/mpi_exchange.hpp"
#include "transport/options.hpp"

namespace lbsp::job {
namespace {

std::uint64_t message_ceiling() {
  std::uint64_t ceiling = transport::ExchangeOptions{}.max_message_bytes;
  if (const char* text = std::getenv(ceiling_variable)) {
    const std::string_view digits(text);
    std::from_chars(digits.data(), digits.data() + digits.size(), ceiling);
  }
  return ceiling;
}

/// MPI between its beginning and its end.
class MpiSession {
 public:
  MpiSession() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiSession() { MPI_Finalize(); }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  int rank_ = 0;
  int size_ = 1;
};

/// Puts the frames of all ranks out through rank 0, one rank's after the other.
void deliver(const MpiSession& mpi, const FrameLines& lines, std::string mine) {
  constexpr int tag = 0;
  if (mpi.rank() != 0) {
    MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    return;
  }
  std::fflush(stdout);
  for (int rank = 0; rank < mpi.size(); ++rank) {
    if (rank > 0) {
      MPI_Status status{};
      int bytes = 0;
      MPI_Probe(rank, tag, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      mine.resize(static_cast<std::size_t>(bytes));
      MPI_Recv(mine.data(), bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    FrameReader frames;
    frames.add(mine);
    while (const auto frame = frames.next())
      lines.write(stderr, *frame);
  }
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
  const MpiSession mpi;
  const FrameLines lines(mark);
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
  Member member(std::make_unique<transport::MpiExchange>(MPI_COMM_WORLD, message_ceiling()), tell);
  const bool succeeded = member.run(program);
  deliver(mpi, lines, std::move(frames));
  return succeeded ? 0 : 1;
}

}  // namespace lbsp::job
