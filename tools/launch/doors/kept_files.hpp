#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lbsp::launch::doors {

/// What a job writes whose `lbsp run` has died, on standard output and standard error, and how it ended. Until the end
/// these files have no names, so that nothing is left of a job that is killed: `lbsp attach` is handed them by the
/// process that keeps the job. Then they are in a folder of this user, until they have been read.
struct KeptFiles {
  explicit KeptFiles(pid_t job);
  explicit KeptFiles(std::string folder);

  std::string folder;
  std::string output;
  std::string errors;
  std::string code;  ///< the exit code, and the rest of a KeptEnd; blank before the end
};

/// How a kept job ended, as its file says.
struct KeptEnd {
  int code = 1;
  std::string loss;  ///< what of its output is lost; empty: nothing
  std::string last;  ///< the last line of standard error, without `lbsp: `; empty: there is none
};

/// None: its keeper has not come to the end.
std::optional<KeptEnd> kept_end(const std::string& code_file);

/// Throws UsageError if the folder of all kept jobs could not be there, or somebody else has one of its name. Else
/// removes what is left there.
void require_folder_of_kept_jobs();
/// Of processes that were killed while they gave files their names. Throws UsageError if somebody else has the folder.
void remove_left_folders();

/// A file without a name, for this user only, which may get one later. -1: the system says in errno why not.
int open_unnamed(const std::string& place);
/// Gives these their names, in the job's folder, which nobody sees before all are there. Throws UsageError and
/// SystemError.
void name_files(const KeptFiles& files, int output, int errors, int code);
/// They have been read. The folder of all goes with the last.
void remove_files(const KeptFiles& files);

/// The process id that a text is; 0, if it is none.
pid_t process_id_in(const std::string& text);
/// The jobs that have ended and whose files are there, by their numbers.
std::vector<pid_t> ended_jobs();

}  // namespace lbsp::launch::doors
