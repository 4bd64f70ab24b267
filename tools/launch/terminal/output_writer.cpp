#include "tools/launch/terminal/output_writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <poll.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

#include "transport/process/thread_start.hpp"

namespace lbsp::launch::terminal {

struct OutputWriter::Shared {
  struct Piece {
    int descriptor;
    std::string bytes;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Piece> pieces;
  std::size_t queued = 0;
  std::uint64_t lost = 0;
  std::array<int, 3> problems{};  ///< errno by descriptor; 0: none
  bool stop = false;
  uv::Wake* wake = nullptr;  ///< gone with the OutputWriter, before this
};

namespace {

/// Takes what is written off `bytes`. Returns 0, or the errno.
int write_all(int descriptor, std::string_view& bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd writable{descriptor, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

template <class Shared>
void write_pieces(Shared& shared) {
  std::unique_lock lock(shared.mutex);
  for (;;) {
    shared.changed.wait(lock, [&] { return shared.stop || !shared.pieces.empty(); });
    if (shared.stop) return;
    const auto piece = std::move(shared.pieces.front());
    shared.pieces.pop_front();
    int& problem = shared.problems[static_cast<std::size_t>(piece.descriptor)];
    const bool skip = problem != 0;
    lock.unlock();
    std::string_view rest = piece.bytes;
    const int found = skip ? 0 : write_all(piece.descriptor, rest);
    lock.lock();
    shared.lost += rest.size();
    if (found != 0) problem = found;
    shared.queued -= piece.bytes.size();
    if (shared.wake != nullptr) shared.wake->send();
  }
}

}  // namespace

OutputWriter::OutputWriter(uv::Loop& loop, std::function<void()> on_progress)
    : shared_(std::make_shared<Shared>()), wake_(loop, std::move(on_progress)) {
  shared_->wake = &wake_;
  // Not joined: it may be in a write that never ends.
  transport::start_thread("the job's output", [shared = shared_] { write_pieces(*shared); }).detach();
}

OutputWriter::~OutputWriter() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stop = true;
  shared_->wake = nullptr;
  shared_->changed.notify_one();
}

void OutputWriter::write(int descriptor, std::string bytes) {
  const std::lock_guard lock(shared_->mutex);
  shared_->queued += bytes.size();
  shared_->pieces.push_back({descriptor, std::move(bytes)});
  shared_->changed.notify_one();
}

std::size_t OutputWriter::queued() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->queued;
}

int OutputWriter::problem(int descriptor) const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->problems[static_cast<std::size_t>(descriptor)];
}

std::uint64_t OutputWriter::lost() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->lost;
}

void OutputWriter::forget_loss() {
  const std::lock_guard lock(shared_->mutex);
  shared_->lost = 0;
}

void OutputWriter::forget_problems() {
  const std::lock_guard lock(shared_->mutex);
  shared_->problems.fill(0);
}

}  // namespace lbsp::launch::terminal
