#include "tools/launch/doors/kept_job.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::doors {
namespace {

constexpr mode_t only_mine = 0600;

/// Of the file that says how the job ended: room for an exit code and two lines.
constexpr std::size_t end_bytes = 4096;

[[noreturn]] void throw_cannot(const char* what, const std::string& path) {
  throw SystemError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

[[noreturn]] void throw_no_room(const std::string& path) {
  const int problem = errno;
  if (problem == EMFILE || problem == ENFILE)
    throw UsageError(fmt::format(
        "cannot keep a job in {}, in case its lbsp run dies: {}: raise the limit of open files (ulimit -n)",
        path, std::strerror(problem)));
  throw UsageError(
      fmt::format("cannot write {}, where a job is kept when its lbsp run dies: {}: make room there, or set "
                  "TMPDIR",
                  path, std::strerror(problem)));
}

int open_new(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, only_mine);
  if (file < 0) throw_no_room(path);
  return file;
}

void write_text(int file, const std::string& path, const std::string& text) {
  if (::pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) throw_no_room(path);
}

/// Of jobs whose `lbsp run` and keeper have both been killed before the one had to do without the other.
void remove_left_folders(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const pid_t job = process_id_in(entry.path().filename());
    if (job == 0 || ::kill(job, 0) == 0 || errno != ESRCH) continue;
    const int keeper = ::open(KeptFiles(job).unnamed.c_str(), O_RDONLY | O_CLOEXEC);
    if (keeper < 0) continue;
    if (::flock(keeper, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(entry.path(), ignored);
    ::close(keeper);
  }
}

/// As the process may have none to spare.
void remove_without_descriptors(const KeptFiles& files) {
  for (const std::string* path : {&files.output, &files.errors, &files.code, &files.unnamed})
    ::unlink(path->c_str());
  ::rmdir(files.folder.c_str());
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
      unnamed(folder + "/keeper.new"),
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

std::optional<KeptEnd> kept_end(const KeptFiles& files) {
  std::ifstream file(files.code);
  std::string code;
  KeptEnd end;
  std::getline(file, code);
  std::getline(file, end.loss);
  std::getline(file, end.last);
  if (std::from_chars(code.data(), code.data() + code.size(), end.code).ec != std::errc{})
    return std::nullopt;
  return end;
}

KeptJob::KeptJob(pid_t job) : files_(job) {
  remove_left_folders(folder_of_kept_jobs());
  // An older job may have had the same number.
  std::error_code left;
  std::filesystem::remove_all(files_.folder, left);
  try {
    make_files();
  } catch (...) {
    remove_without_descriptors(files_);
    throw;
  }
}

void KeptJob::make_files() {
  if (::mkdir(files_.folder.c_str(), 0700) != 0) throw_no_room(files_.folder);
  folder_ = ::open(files_.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ::flock(folder_, LOCK_SH);
  output_ = open_new(files_.output);
  errors_ = open_new(files_.errors);
  code_ = open_new(files_.code);
  write_text(code_, files_.code, std::string(end_bytes, ' '));
  // A disk that writes late has to find its room now.
  if (const int problem = ::posix_fallocate(code_, 0, end_bytes); problem != 0) {
    errno = problem;
    throw_no_room(files_.code);
  }
  // Locked before it has its name: who finds it knows whether this process lives.
  keeper_ = open_new(files_.unnamed);
  ::flock(keeper_, LOCK_EX);
  write_text(keeper_, files_.unnamed, std::to_string(::getpid()));
}

KeptJob::~KeptJob() {
  if (!taken_over_) {
    std::error_code ignored;
    std::filesystem::remove_all(files_.folder, ignored);
  }
  for (const int file : {folder_, output_, errors_, keeper_, code_})
    ::close(file);
}

void KeptJob::take_over() {
  taken_over_ = true;
  ::dup2(output_, STDOUT_FILENO);
  ::dup2(errors_, STDERR_FILENO);
  ::setsid();
  if (::rename(files_.unnamed.c_str(), files_.keeper.c_str()) != 0) throw_cannot("make", files_.keeper);
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

void KeptJob::end(int code, const std::string& last) const {
  std::string text = fmt::format("{}\n{}\n{}", code, loss(), printable(last, 2 * longest_message));
  text.resize(std::min(text.size(), end_bytes));
  write_text(code_, files_.code, text);
  // What is left of the blanks; it has been told apart from them by its first byte.
  if (::ftruncate(code_, static_cast<off_t>(text.size())) != 0) throw_cannot("write", files_.code);
}

}  // namespace lbsp::launch::doors
