#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace lbsp::programs {

/// A file that appears under its name whole or not at all: it is written beside its place under a name of
/// its own, and renamed by commit(). Made before a long computation, it also finds out early that the place
/// cannot be written.
///
/// Throws UsageError where the path cannot be written, SystemError where the disk fails; both name the path.
class AtomicFile {
 public:
  /// Replaces a regular file of that name, and nothing else (a directory, a device).
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);

  /// The file is on the disk and under its name when this returns. Once, as the last call.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

}  // namespace lbsp::programs
