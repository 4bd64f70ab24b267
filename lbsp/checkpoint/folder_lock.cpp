#include "lbsp/checkpoint/folder_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::checkpoint {
namespace {

/// Whoever had the lock before may have removed its file meanwhile, and a lock on that keeps nobody out.
bool is_still_there(const std::filesystem::path& file, int descriptor) {
  struct stat named {};
  struct stat open {};
  return ::stat(file.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

[[noreturn]] void throw_no_file(const std::filesystem::path& folder, int problem) {
  const bool full = problem == ENOSPC || problem == EDQUOT;
  throw SystemError(fmt::format("cannot keep states in {}: {}: {}", folder.string(), std::strerror(problem),
                                full ? "make room there" : "give a folder that can be written"));
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, Rank rank)
    : file_(folder / fmt::format("lock.{}", rank)) {
  for (;;) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor_ < 0) throw_no_file(folder, errno);
    // Where the file system knows no locks, nothing is claimed.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      throw UsageError(fmt::format(
          "another job keeps its states in {} at present: give each a folder of its own", folder.string()));
    }
    if (is_still_there(file_, descriptor_)) return;
    ::close(descriptor_);
  }
}

FolderLock::~FolderLock() {
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace lbsp::checkpoint
