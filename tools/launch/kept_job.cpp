#include "tools/launch/kept_job.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {
namespace {

constexpr mode_t only_mine = 0600;

[[noreturn]] void throw_cannot(const char* what, const std::string& path) {
  throw SystemError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

int open_new(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, only_mine);
  if (file < 0) throw_cannot("write", path);
  return file;
}

/// Has the process write there instead.
void redirect(int descriptor, const std::string& path) {
  const int file = open_new(path);
  ::dup2(file, descriptor);
  ::close(file);
}

void write_text(int file, const std::string& path, const std::string& text) {
  if (::pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw_cannot("write", path);
}

/// What is read is taken out of the file, which leaves a hole.
std::size_t bytes_on_disk(int file) {
  constexpr std::size_t block_bytes = 512;
  struct stat about {};
  ::fstat(file, &about);
  return static_cast<std::size_t>(about.st_blocks) * block_bytes;
}

}  // namespace

std::string folder_of_kept_jobs() {
  const char* const temporary = std::getenv("TMPDIR");
  const std::string folder =
      fmt::format("{}/lbsp-{}", temporary != nullptr && *temporary != 0 ? temporary : "/tmp", ::geteuid());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw UsageError(fmt::format("cannot make {}, where a job is kept when its lbsp run dies: {}: set TMPDIR",
                                 folder, std::strerror(errno)));
  struct stat about {};
  const bool mine = ::lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                    about.st_uid == ::geteuid() && (about.st_mode & 077) == 0;
  if (!mine)
    throw UsageError(
        fmt::format("{} is no folder that only you can enter: remove it, or set TMPDIR", folder));
  return folder;
}

KeptFiles::KeptFiles(pid_t job)
    : folder(fmt::format("{}/{}", folder_of_kept_jobs(), job)),
      output(folder + "/output"),
      errors(folder + "/errors"),
      keeper(folder + "/keeper"),
      code(folder + "/code") {}

pid_t process_id_in(const std::string& text) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0 ? number : 0;
}

std::vector<pid_t> kept_jobs() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_kept_jobs(), ignored)) {
    const pid_t job = process_id_in(entry.path().filename());
    if (job != 0 && std::filesystem::exists(KeptFiles(job).keeper, ignored)) found.push_back(job);
  }
  std::ranges::sort(found);
  return found;
}

KeptJob::KeptJob(pid_t job) : files_(job) {
  // An older job may have had the same number.
  std::error_code left;
  std::filesystem::remove_all(files_.folder, left);
  if (::mkdir(files_.folder.c_str(), 0700) != 0) throw_cannot("make", files_.folder);
  redirect(STDOUT_FILENO, files_.output);
  redirect(STDERR_FILENO, files_.errors);
  ::setsid();
  // It has its room from now on, whatever becomes of the disk.
  code_ = open_new(files_.code);
  write_text(code_, files_.code, "   ");
  // Locked before it has its name: who finds it knows whether this process lives.
  const std::string unnamed = files_.keeper + ".new";
  keeper_ = open_new(unnamed);
  ::flock(keeper_, LOCK_EX);
  write_text(keeper_, unnamed, std::to_string(::getpid()));
  if (::rename(unnamed.c_str(), files_.keeper.c_str()) != 0) throw_cannot("make", files_.keeper);
}

KeptJob::~KeptJob() {
  ::close(keeper_);
  ::close(code_);
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
  if (full_)
    return fmt::format("{}: the disk was full: a part of what the ranks wrote is lost", files_.output);
  if (dropped_ == 0) return {};
  return fmt::format(
      "{} bytes that the ranks wrote after the {} that are kept unread are lost: attach sooner, and stay",
      dropped_, transport::format_size(most_output));
}

void KeptJob::end(int code) const {
  write_text(code_, files_.code, std::to_string(code));
}

}  // namespace lbsp::launch
