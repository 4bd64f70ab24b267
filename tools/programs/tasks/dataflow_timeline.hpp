#pragma once

#include <fstream>
#include <string>

#include "lbsp/dataflow/level_end.hpp"

namespace lbsp::programs::tasks {

/// A .csv file of when levels ended, as they do: whoever watches a job can read it meanwhile. Times are those of the
/// system's clock, so that a new process can go on with the file.
class DataflowTimeline {
 public:
  /// Goes on with the file, or replaces it. Throws UsageError if it cannot be written.
  DataflowTimeline(const std::string& path, bool goes_on);

  void add(const dataflow::LevelEnd& end);
  /// Throws Error if not all of it could be written, as where the disk is full: the run itself goes on meanwhile.
  void finish();

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace lbsp::programs::tasks
