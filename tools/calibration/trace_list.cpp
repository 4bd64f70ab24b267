#include "tools/calibration/trace_list.hpp"

#include <fmt/format.h>
#include <sstream>

#include "tools/command_line/text_file.hpp"
#include "transport/error.hpp"

namespace lbsp::calibration {
namespace {

constexpr std::size_t most_bytes = std::size_t{2} << 30;

}  // namespace

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string name; std::getline(words, name, ',');)
    names.push_back(name);
  return names;
}

std::vector<trace_file::Trace> read_traces(const std::string& list, const char* option) {
  std::vector<trace_file::Trace> traces;
  for (const std::string& name : names_in(list)) {
    if (name.empty())
      throw UsageError(fmt::format("{} {}: give the traces' names with commas between them", option, list));
    traces.push_back(
        trace_file::parse_trace(command_line::read_text_file(name, "the trace", most_bytes), name));
    if (!traces.back().finished)
      throw UsageError(
          fmt::format("{}: {} is of a run that was not finished: record it again", option, name));
  }
  return traces;
}

}  // namespace lbsp::calibration
