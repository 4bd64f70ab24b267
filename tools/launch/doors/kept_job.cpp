#include "tools/launch/doors/kept_job.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "tools/launch/doors/handed_files.hpp"
#include "tools/watch/job_socket.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::doors {
namespace {

/// Of the file that says how the job ended: room for an exit code and two lines.
constexpr std::size_t end_bytes = 4096;
/// For two folders and what is in them.
constexpr std::size_t bytes_for_names = 16384;

[[noreturn]] void throw_no_room(const std::string& path) {
  const int problem = errno;
  if (problem == EMFILE || problem == ENFILE)
    throw UsageError(fmt::format(
        "cannot keep a job in {}, in case its lbsp run dies: {}: raise the limit of open files (ulimit -n)",
        path, std::strerror(problem)));
  if (problem == EFBIG)
    throw UsageError(fmt::format(
        "cannot keep a job in {}, in case its lbsp run dies: {}: raise the limit of a file's length (ulimit -f)",
        path, std::strerror(problem)));
  const bool full = problem == ENOSPC || problem == EDQUOT;
  throw UsageError(fmt::format(
      "cannot write {}, where a job is kept when its lbsp run dies: {}: {}", path, std::strerror(problem),
      full ? "make room there, or set TMPDIR" : "set TMPDIR to a folder where files can be made"));
}

int open_here() {
  const int file = open_unnamed(watch::place_of_kept_jobs());
  if (file < 0) throw_no_room(watch::place_of_kept_jobs());
  return file;
}

/// A disk that writes late has to find its room now.
void take_room(int file, std::size_t bytes) {
  const int problem = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (problem == 0) return;
  errno = problem;
  throw_no_room(watch::place_of_kept_jobs());
}

/// At the file's beginning. Where a part of it finds no room, the call for the rest tells why.
void write_text(int file, std::string_view text) {
  for (off_t at = 0; !text.empty();) {
    const ssize_t written = ::pwrite(file, text.data(), text.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_no_room(watch::place_of_kept_jobs());
    text.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
}

/// What is read is taken out of the file, which leaves a hole.
std::size_t bytes_on_disk(int file) {
  constexpr std::size_t block_bytes = 512;
  struct stat about {};
  ::fstat(file, &about);
  return static_cast<std::size_t>(about.st_blocks) * block_bytes;
}

}  // namespace

KeptJob::KeptJob(pid_t job) : job_(job), files_(job) {
  try {
    make_files();
  } catch (...) {
    close_files();
    throw;
  }
}

void KeptJob::make_files() {
  output_ = open_here();
  errors_ = open_here();
  code_ = open_here();
  room_ = open_here();
  write_text(code_, std::string(end_bytes, ' '));
  take_room(code_, end_bytes);
  take_room(room_, bytes_for_names);
  spare_ = ::fcntl(code_, F_DUPFD_CLOEXEC, 0);
  if (spare_ < 0) throw_no_room(watch::place_of_kept_jobs());
}

void KeptJob::close_files() {
  for (const int file : {output_, errors_, code_, room_, spare_})
    if (file >= 0) ::close(file);
}

KeptJob::~KeptJob() {
  close_files();
  for (const int connection : attached_)
    ::close(connection);
}

int KeptJob::take_over() {
  taken_over_ = true;
  ::dup2(output_, STDOUT_FILENO);
  ::dup2(errors_, STDERR_FILENO);
  ::setsid();
  ::close(std::exchange(spare_, -1));
  return watch::listen_as_job(job_, watch::Place::kept);
}

void KeptJob::admit(int connection) {
  std::erase_if(attached_, [](int known) {
    pollfd end{known, POLLIN, 0};
    const bool gone = ::poll(&end, 1, 0) > 0;
    if (gone) ::close(known);
    return gone;
  });
  if (watch::may_watch(connection) && hand_over(connection, files_.folder, output_, errors_, code_)) {
    attached_.push_back(connection);
  } else {
    ::close(connection);
  }
}

std::uint64_t KeptJob::errors_size() {
  struct stat about {};
  ::fstat(STDERR_FILENO, &about);
  return static_cast<std::uint64_t>(about.st_size);
}

bool KeptJob::takes(std::size_t bytes) {
  if (!full_ && dropped_ == 0 && kept_ + bytes > most_output) kept_ = bytes_on_disk(STDOUT_FILENO);
  if (!full_ && dropped_ == 0 && kept_ + bytes <= most_output) {
    kept_ += bytes;
    return true;
  }
  dropped_ += bytes;
  return false;
}

std::string KeptJob::loss() const {
  const std::uint64_t lost = dropped_ + unwritten_;
  if (lost == 0) return {};
  if (full_ || unwritten_ > 0)
    return fmt::format(
        "{} bytes that the job wrote are lost, as the disk of {} was full: make room there for the next",
        lost, files_.folder);
  return fmt::format(
      "{} bytes that the ranks wrote after the {} that are kept unread are lost: attach sooner, and stay",
      lost, transport::format_size(most_output));
}

void KeptJob::end(int code, const std::string& last) {
  std::string text = fmt::format("{}\n{}\n{}", code, loss(), printable(last, 2 * longest_message));
  text.resize(std::min(text.size(), end_bytes));
  write_text(code_, text);
  // What is left of the blanks; it has been told apart from them by its first byte.
  if (::ftruncate(code_, static_cast<off_t>(text.size())) != 0)
    throw SystemError(fmt::format("cannot write how the job ended: {}", std::strerror(errno)));
  ::close(std::exchange(room_, -1));
  name_files(files_, output_, errors_, code_);
}

}  // namespace lbsp::launch::doors
