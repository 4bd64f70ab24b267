#include "tools/launch/doors/kept_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tools/uv/descriptors.hpp"
#include "tools/watch/job_socket.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::doors {
namespace {

constexpr mode_t only_mine = 0600;

/// Of a folder that is being filled, with the process id of who does that behind it.
constexpr const char* filling = "new-";

/// Of a temporary file's name, as mkostemp() wants them.
constexpr std::size_t random_letters = 6;

/// Another's `lbsp attach` may take the folder away when it is empty.
constexpr int most_attempts = 10;

std::string folder_of_all() {
  return fmt::format("{}/lbsp-{}", watch::place_of_kept_jobs(), ::geteuid());
}

[[noreturn]] void throw_cannot_make(const std::string& folder) {
  throw UsageError(fmt::format("cannot make {}, where a job is kept when its lbsp run dies: {}: set TMPDIR",
                               folder, std::strerror(errno)));
}

void require_mine(const std::string& folder) {
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0) return;
  if (!S_ISDIR(about.st_mode) || about.st_uid != ::geteuid() || (about.st_mode & 077) != 0)
    throw UsageError(
        fmt::format("{} is no folder that only you can enter: remove it, or set TMPDIR", folder));
}

std::string make_folder_to_fill() {
  const std::string all = folder_of_all();
  const std::string folder = fmt::format("{}/{}{}", all, filling, ::getpid());
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (::mkdir(all.c_str(), 0700) != 0 && errno != EEXIST) throw_cannot_make(all);
    require_mine(all);
    if (::mkdir(folder.c_str(), 0700) == 0) return folder;
    if (errno != ENOENT) break;
  }
  throw_cannot_make(folder);
}

/// Who fills a folder holds it locked: containers that have it in common call their processes by other numbers.
uv::Descriptor lock(const std::string& folder) {
  uv::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0 && ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) return uv::Descriptor();
  return opened;
}

bool is_gone(pid_t process) {
  return process != 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

/// As a copy, where the file system has no files without names.
void name_file(int file, const std::string& path) {
  const std::string open_file = fmt::format("/proc/self/fd/{}", file);
  if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  std::error_code problem;
  std::filesystem::copy_file(open_file, path, problem);
  if (problem) throw SystemError(fmt::format("cannot write {}: {}", path, problem.message()));
}

}  // namespace

KeptFiles::KeptFiles(pid_t job) : KeptFiles(fmt::format("{}/{}", folder_of_all(), job)) {}

KeptFiles::KeptFiles(std::string of)
    : folder(std::move(of)), output(folder + "/output"), errors(folder + "/errors"), code(folder + "/code") {}

std::optional<KeptEnd> kept_end(const std::string& code_file) {
  std::ifstream file(code_file);
  std::string code;
  KeptEnd end;
  std::getline(file, code);
  std::getline(file, end.loss);
  std::getline(file, end.last);
  if (std::from_chars(code.data(), code.data() + code.size(), end.code).ec != std::errc{})
    return std::nullopt;
  return end;
}

void remove_left_folders() {
  require_mine(folder_of_all());
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_all(), ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(filling) || !is_gone(process_id_in(name.substr(std::strlen(filling))))) continue;
    if (const uv::Descriptor locked = lock(entry.path()); locked.get() >= 0)
      std::filesystem::remove_all(entry.path(), ignored);
  }
  ::rmdir(folder_of_all().c_str());
}

void require_folder_of_kept_jobs() {
  if (::access(watch::place_of_kept_jobs().c_str(), W_OK | X_OK) != 0) throw_cannot_make(folder_of_all());
  remove_left_folders();
}

int open_unnamed(const std::string& place) {
  const int file = ::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, only_mine);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string path = place + "/lbsp-" + std::string(random_letters, 'X');
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

void name_files(const KeptFiles& files, int output, int errors, int code) {
  remove_left_folders();
  const KeptFiles fresh(make_folder_to_fill());
  const uv::Descriptor locked = lock(fresh.folder);
  name_file(output, fresh.output);
  name_file(errors, fresh.errors);
  name_file(code, fresh.code);
  // An older job may have had the same number.
  std::error_code ignored;
  std::filesystem::remove_all(files.folder, ignored);
  std::error_code problem;
  std::filesystem::rename(fresh.folder, files.folder, problem);
  if (problem) throw SystemError(fmt::format("cannot make {}: {}", files.folder, problem.message()));
}

void remove_files(const KeptFiles& files) {
  std::error_code ignored;
  std::filesystem::remove_all(files.folder, ignored);
  ::rmdir(std::filesystem::path(files.folder).parent_path().c_str());
}

pid_t process_id_in(const std::string& text) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0 ? number : 0;
}

std::vector<pid_t> ended_jobs() {
  require_mine(folder_of_all());
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_all(), ignored)) {
    const pid_t job = process_id_in(entry.path().filename());
    if (job != 0 && std::filesystem::exists(KeptFiles(job).code, ignored)) found.push_back(job);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace lbsp::launch::doors
