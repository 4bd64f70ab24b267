#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

#include "tools/launch/doors/kept_files.hpp"

namespace lbsp::launch::doors {

/// From the process that keeps a job to an `lbsp attach`, over a local connection: the job's files, and the name of
/// the folder in which they will be when it has ended.

/// False: nothing can be sent there.
bool hand_over(int connection, const std::string& folder, int output, int errors, int code);

/// In the `lbsp attach`: what it has been handed, as long as that lives.
class HandedFiles {
 public:
  /// Whether anything, or its end, has come over the connection, or does within that time.
  static bool come(int connection, std::chrono::milliseconds patience);

  /// Takes the connection over, and waits for what comes.
  explicit HandedFiles(int connection);
  HandedFiles(const HandedFiles&) = delete;
  HandedFiles& operator=(const HandedFiles&) = delete;
  ~HandedFiles();

  /// By other names than those that they will have. None: the process has ended before, and with it the job.
  std::optional<KeptFiles> files() const;
  /// In which they will be.
  const std::string& folder() const { return folder_; }
  /// Whether the process that keeps the job lives.
  bool keeper_lives() const;
  pid_t keeper() const;

 private:
  static constexpr int count = 3;

  int connection_;
  std::string folder_;
  int files_[count] = {-1, -1, -1};
};

}  // namespace lbsp::launch::doors
