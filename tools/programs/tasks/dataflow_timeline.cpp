#include "tools/programs/tasks/dataflow_timeline.hpp"

#include <chrono>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::programs::tasks {

DataflowTimeline::DataflowTimeline(const std::string& path, bool goes_on)
    : path_(path), file_(path, goes_on ? std::ios::app : std::ios::trunc) {
  if (!file_) throw UsageError(fmt::format("{} cannot be written: give --timeline another name", path));
  if (!goes_on) file_ << "seconds,level,tokens,again,ranks\n" << std::flush;
}

void DataflowTimeline::add(const dataflow::LevelEnd& end) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  file_ << fmt::format("{:.6f},{},{},{},{}\n", now.count(), end.level, end.tokens, end.again, end.ranks)
        << std::flush;
}

void DataflowTimeline::finish() {
  file_.close();
  if (!file_) throw Error(fmt::format("{} could not be written whole: see whether its disk is full", path_));
}

}  // namespace lbsp::programs::tasks
