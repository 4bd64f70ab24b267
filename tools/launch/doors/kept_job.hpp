#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tools/launch/doors/kept_files.hpp"

namespace lbsp::launch::doors {

/// In the keeper, for when its `lbsp run` dies. What it needs then, and room for the end, is there from its beginning
/// on, whatever becomes of the disk.
class KeptJob {
 public:
  /// So much output of the ranks is kept that nobody has read. What they write after that is dropped.
  static constexpr std::size_t most_output = std::size_t{64} << 20;

  /// Makes the files. Throws UsageError if there is no room.
  explicit KeptJob(pid_t job);
  KeptJob(const KeptJob&) = delete;
  KeptJob& operator=(const KeptJob&) = delete;
  ~KeptJob();

  /// The `lbsp run` has died: has this process write to the files, which are its descriptors 1 and 2 then. Leaves the
  /// terminal, if there is one. Returns a socket that listens for those who attach, whom admit() takes, and who finds
  /// it; -1: the system has none, and the job is found when it has ended.
  int take_over();
  bool has_taken_over() const { return taken_over_; }
  /// Somebody attaches: is handed the files, if that is this user or root. Takes the connection over.
  void admit(int connection);

  /// Whether so many bytes more of the ranks' output are to be written.
  bool takes(std::size_t bytes);
  /// There is no room for more.
  void disk_is_full() { full_ = true; }
  /// So many bytes that it was to write are not written.
  void lose(std::uint64_t bytes) { unwritten_ += bytes; }
  /// The size of the file that is standard error.
  static std::uint64_t errors_size();
  /// What to say of output that is lost; empty: none is.
  std::string loss() const;
  /// The job has ended, and all is written: from here on the files have names. `last`: as in KeptEnd. Throws UsageError
  /// and SystemError.
  void end(int code, const std::string& last);

 private:
  void make_files();
  void close_files();

  pid_t job_;
  KeptFiles files_;
  int output_ = -1;
  int errors_ = -1;
  int code_ = -1;
  int room_ = -1;              ///< a file that is in the way of others, where the names will be
  int spare_ = -1;             ///< a descriptor for the socket
  std::vector<int> attached_;  ///< connections, which end with this process
  bool taken_over_ = false;
  bool full_ = false;
  std::uint64_t unwritten_ = 0;
  std::size_t kept_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace lbsp::launch::doors
