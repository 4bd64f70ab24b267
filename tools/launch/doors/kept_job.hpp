#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lbsp::launch::doors {

/// A job that outlives its `lbsp run` has a folder of this user on its machine. When that dies, `lbsp attach` finds
/// there what the job writes from then on, on standard output and standard error, which process keeps it, and how it
/// ended.
struct KeptFiles {
  explicit KeptFiles(pid_t job);

  std::string folder;
  std::string output;
  std::string errors;
  std::string unnamed;  ///< what becomes `keeper`, as long as the `lbsp run` lives
  std::string keeper;   ///< its process id; locked while it lives
  std::string code;     ///< the exit code, and the rest of a KeptEnd; blank before the end
};

/// How a kept job ended, as its file says.
struct KeptEnd {
  int code = 1;
  std::string loss;  ///< what of its output is lost; empty: nothing
  std::string last;  ///< the last line of standard error, without `lbsp: `; empty: there is none
};

/// None: its keeper has not come to the end.
std::optional<KeptEnd> kept_end(const KeptFiles& files);

/// The folder of all of them. Throws UsageError if it cannot be made, or somebody else has one of its name.
std::string folder_of_kept_jobs();
/// The process id that a text is; 0, if it is none.
pid_t process_id_in(const std::string& text);
/// By their numbers; without those whose files are not all there yet.
std::vector<pid_t> kept_jobs();

/// In the keeper, for when its `lbsp run` dies. What it needs then, and room for the end, is there from its beginning
/// on, whatever becomes of the disk.
class KeptJob {
 public:
  /// So much output of the ranks is kept that nobody has read. What they write after that is dropped.
  static constexpr std::size_t most_output = std::size_t{64} << 20;

  /// Makes the folder and its files, and removes those that killed processes have left. Throws UsageError if there is
  /// no room.
  explicit KeptJob(pid_t job);
  KeptJob(const KeptJob&) = delete;
  KeptJob& operator=(const KeptJob&) = delete;
  /// Nothing is left of a job whose `lbsp run` lives.
  ~KeptJob();

  /// The `lbsp run` has died: has this process write to the files, which are its descriptors 1 and 2 then. Leaves the
  /// terminal, if there is one. Throws SystemError.
  void take_over();
  bool has_taken_over() const { return taken_over_; }

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
  /// The job has ended, and all is written. `last`: as in KeptEnd.
  void end(int code, const std::string& last) const;

 private:
  void make_files();

  KeptFiles files_;
  int folder_ = -1;  ///< locked, so that nothing tidies it up
  int output_ = -1;
  int errors_ = -1;
  int keeper_ = -1;  ///< the file that is locked
  int code_ = -1;
  bool taken_over_ = false;
  bool full_ = false;
  std::uint64_t unwritten_ = 0;
  std::size_t kept_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace lbsp::launch::doors
