#include "tools/command_line/atomic_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::command_line {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw UsageError(fmt::format("cannot write {}: {}: give a path in a folder that is there and writable",
                               path.string(), reason));
}

[[noreturn]] void fail(const fs::path& path, int error) {
  if (error == EFBIG)
    throw SystemError(fmt::format("cannot write {}: {}: raise the limit of a file's length (ulimit -f)",
                                  path.string(), std::strerror(error)));
  throw SystemError(fmt::format("cannot write {}: {}: make room for it there, or give another path",
                                path.string(), std::strerror(error)));
}

void check_replaceable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error == std::errc::filename_too_long) refuse(path, error.message());
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw UsageError(
        fmt::format("cannot write {}: it is not a regular file: give another path", path.string()));
  }
}

/// The name under which the kernel shows an open file.
std::string open_file(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

/// What symbolic links lead to, though that may not be there yet.
fs::path followed(fs::path path) {
  constexpr int most_links = 40;  // as many as the kernel follows
  for (int link = 0; link < most_links; ++link) {
    std::error_code failed;
    const fs::path target = fs::read_symlink(path, failed);
    if (failed) break;
    path = path.parent_path() / target;
  }
  return path;
}

/// Until `take` takes a name beside the path: false if none is to be had, for the reason in errno. The path's own name,
/// which may be as long as a name can be, is not in it.
bool try_names(const fs::path& path, const std::function<bool(const fs::path&)>& take) {
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::string name = fmt::format(".lbsp.{}-{}", getpid(), attempt);
    if (take(path.parent_path() / name)) return true;
    if (errno != EEXIST) break;
  }
  return false;
}

}  // namespace

bool is_same_file(const fs::path& one, const fs::path& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code none;
  const auto whole = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path.lexically_normal(), none), none);
  };
  return whole(one) == whole(other) && !whole(one).empty();
}

void require_other_file(std::string_view option, const fs::path& output, const fs::path& input) {
  if (!is_same_file(output, input)) return;
  throw UsageError(fmt::format("{} {} would replace what is read: give the name of another file", option,
                               output.string()));
}

AtomicFile::AtomicFile(fs::path path) : path_(followed(std::move(path))) {
  check_replaceable(path_);
  if (!open_without_name()) open_with_name();
  if (descriptor_ < 0) refuse(path_, std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

bool AtomicFile::open_without_name() {
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  descriptor_ = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return false;
  if (access(open_file(descriptor_).c_str(), F_OK) == 0) return true;
  close(std::exchange(descriptor_, -1));  // without /proc it could not be given a name
  return false;
}

void AtomicFile::open_with_name() {
  try_names(path_, [this](const fs::path& name) {
    temporary_ = name;
    descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return descriptor_ >= 0;
  });
}

void AtomicFile::give_name() {
  const std::string from = open_file(descriptor_);
  const bool named = try_names(path_, [&](const fs::path& name) {
    temporary_ = name;
    return linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  if (named) return;
  temporary_.clear();
  fail(path_, errno);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) fail(path_, errno);
  if (temporary_.empty()) give_name();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  close(std::exchange(descriptor_, -1));
}

}  // namespace lbsp::command_line
