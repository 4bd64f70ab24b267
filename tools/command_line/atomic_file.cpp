#include "tools/command_line/atomic_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::command_line {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw SystemError(fmt::format("cannot write {}: {}: make room for it there, or give another path",
                                path.string(), std::strerror(error)));
}

void check_replaceable(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw UsageError(
        fmt::format("cannot write {}: it is not a regular file: give another path", path.string()));
  }
}

constexpr int attempts = 100;

}  // namespace

bool is_same_file(const fs::path& one, const fs::path& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code none;
  const auto whole = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path.lexically_normal(), none), none);
  };
  return whole(one) == whole(other) && !whole(one).empty();
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  check_replaceable(path_);
  for (int attempt = 0; attempt < attempts && descriptor_ < 0; ++attempt) {
    temporary_ = path_.parent_path() / fmt::format(".{}.{}-{}", path_.filename().string(), getpid(), attempt);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    throw UsageError(fmt::format("cannot write {}: {}: give a path in a folder that is there and writable",
                                 path_.string(), std::strerror(errno)));
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
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
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  close(std::exchange(descriptor_, -1));
}

}  // namespace lbsp::command_line
