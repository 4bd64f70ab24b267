#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace lbsp::command_line {

/// Whether both names would be one file, though it may not be there yet.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Throws UsageError if what `option` names is to be written and would replace `input`, which the command reads.
void require_other_file(std::string_view option, const std::filesystem::path& output,
                        const std::filesystem::path& input);

/// A file that appears under its name whole or not at all. It has no name until commit() gives it one, so nothing is
/// left however the process ends; on a file system that cannot do that, it is written beside its place under another
/// name. A path that is a symbolic link stays one: the file that it names is replaced. Make it before a long
/// computation, and it also finds out early whether the place can be written.
///
/// Throws UsageError if the path cannot be written, and SystemError if the disk fails; both name the path.
class AtomicFile {
 public:
  /// Replaces a regular file of that name, but nothing else (a directory, a device).
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// When this returns, the file is on the disk and under its name. Call it once, as the last call.
  void commit();

 private:
  bool open_without_name();
  void open_with_name();
  void give_name();

  std::filesystem::path path_;
  std::filesystem::path temporary_;  ///< empty: it has no name yet
  int descriptor_ = -1;
};

}  // namespace lbsp::command_line
