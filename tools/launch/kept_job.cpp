#include "tools/launch/kept_job.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::launch {
namespace {

constexpr mode_t only_mine = 0600;

int open_new(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, only_mine);
  if (file < 0) throw SystemError(fmt::format("cannot write {}", path));
  return file;
}

/// Has the process write there instead.
void redirect(int descriptor, const std::string& path) {
  const int file = open_new(path);
  ::dup2(file, descriptor);
  ::close(file);
}

void write_text(int file, const std::string& path, const std::string& text) {
  if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw SystemError(fmt::format("cannot write {}", path));
}

}  // namespace

std::string folder_of_kept_jobs() {
  const char* const temporary = std::getenv("TMPDIR");
  const std::string folder =
      fmt::format("{}/lbsp-{}", temporary != nullptr && *temporary != 0 ? temporary : "/tmp", ::geteuid());
  ::mkdir(folder.c_str(), 0700);
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
    if (const pid_t job = process_id_in(entry.path().filename()); job != 0) found.push_back(job);
  }
  std::ranges::sort(found);
  return found;
}

KeptJob::KeptJob(pid_t job) : files_(job) {
  // An older job may have had the same number.
  std::filesystem::remove_all(files_.folder);
  if (::mkdir(files_.folder.c_str(), 0700) != 0)
    throw SystemError(fmt::format("cannot make {}", files_.folder));
  redirect(STDOUT_FILENO, files_.output);
  redirect(STDERR_FILENO, files_.errors);
  ::setsid();
  // Locked before it has its name: who finds it knows whether this process lives.
  const std::string unnamed = files_.keeper + ".new";
  keeper_ = open_new(unnamed);
  ::flock(keeper_, LOCK_EX);
  write_text(keeper_, unnamed, std::to_string(::getpid()));
  std::filesystem::rename(unnamed, files_.keeper);
}

KeptJob::~KeptJob() {
  ::close(keeper_);
}

bool KeptJob::takes(std::size_t bytes) {
  if (dropped_ == 0 && kept_ + bytes <= most_output) {
    kept_ += bytes;
    return true;
  }
  dropped_ += bytes;
  return false;
}

void KeptJob::end(int code) const {
  const int file = open_new(files_.code);
  write_text(file, files_.code, std::to_string(code));
  ::close(file);
}

}  // namespace lbsp::launch
