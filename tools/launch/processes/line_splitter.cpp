#include "tools/launch/processes/line_splitter.hpp"

#include <utility>

namespace lbsp::launch::processes {

std::string LineSplitter::add(std::string_view bytes) {
  const auto last_end = bytes.rfind('\n');
  const std::size_t whole = last_end == std::string_view::npos ? 0 : last_end + 1;
  std::string lines;
  if (whole > 0) {
    lines = std::exchange(partial_, {});
    lines += bytes.substr(0, whole);
  }
  partial_ += bytes.substr(whole);
  if (partial_.size() > longest_line) lines += std::exchange(partial_, {});
  return lines;
}

std::string LineSplitter::rest() {
  return std::exchange(partial_, {});
}

}  // namespace lbsp::launch::processes
