#pragma once

#include <filesystem>

#include "transport/units.hpp"

namespace lbsp::checkpoint {

/// A process's claim to a folder of states: two jobs that live at once would remove each other's files. It ends with
/// the object, or with the process, whatever ends it. Each process of a job has its own, named by its rank at the job's
/// start, since all hosts may share the folder.
class FolderLock {
 public:
  /// Throws UsageError if another job's process has it, and SystemError if the system refuses.
  FolderLock(const std::filesystem::path& folder, Rank rank);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace lbsp::checkpoint
