#include "tools/calibration/program_words.hpp"

namespace lbsp::calibration {

std::string program_name(const trace_file::Trace& trace) {
  return trace.program.substr(trace.program.rfind('/') + 1);
}

std::optional<std::string> word_of(const trace_file::Trace& trace, const std::string& option) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < trace.arguments.size(); ++i) {
    const std::string& word = trace.arguments[i];
    if (word == option && i + 1 < trace.arguments.size()) found = trace.arguments[i + 1];
    if (word.starts_with(option + "=")) found = word.substr(option.size() + 1);
  }
  return found;
}

}  // namespace lbsp::calibration
