#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lbsp::launch {

/// A job whose `lbsp run` has died has a folder of this user on its machine, for `lbsp attach`: what the job writes
/// from then on, on standard output and standard error, which process keeps it, and at the end its exit code.
struct KeptFiles {
  explicit KeptFiles(pid_t job);

  std::string folder;
  std::string output;
  std::string errors;
  std::string keeper;  ///< its process id; locked while it lives
  std::string code;    ///< the exit code; blank before the end
};

/// The folder of all of them. Throws UsageError if it cannot be made, or somebody else has one of its name.
std::string folder_of_kept_jobs();
/// The process id that a text is; 0, if it is none.
pid_t process_id_in(const std::string& text);
/// By their numbers; without those whose files are not all there yet.
std::vector<pid_t> kept_jobs();

/// In the keeper, from when its `lbsp run` has died.
class KeptJob {
 public:
  /// So much output of the ranks is kept that nobody has read. What they write after that is dropped.
  static constexpr std::size_t most_output = std::size_t{64} << 20;

  /// Makes the folder and has this process write there: its descriptors 1 and 2 are the files. Leaves the terminal, if
  /// there is one. Throws SystemError or UsageError.
  explicit KeptJob(pid_t job);
  KeptJob(const KeptJob&) = delete;
  KeptJob& operator=(const KeptJob&) = delete;
  ~KeptJob();

  /// Whether so many bytes more of the ranks' output are to be written.
  bool takes(std::size_t bytes);
  /// There is no room for more.
  void disk_is_full() { full_ = true; }
  /// What to say of output that is lost; empty: none is.
  std::string loss() const;
  /// The job has ended, and all is written.
  void end(int code) const;

 private:
  KeptFiles files_;
  int keeper_ = -1;  ///< the file that is locked
  int code_ = -1;
  bool full_ = false;
  std::size_t kept_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace lbsp::launch
