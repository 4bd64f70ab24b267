#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lbsp::launch::processes {

/// Makes whole lines of what a process writes, so that the lines of several processes do not mix.
class LineSplitter {
 public:
  /// A line longer than this comes in pieces, so that memory stays bounded.
  static constexpr std::size_t longest_line = std::size_t{64} << 10;

  /// Takes what was read; returns all lines that are whole now, with their ends, or nothing.
  std::string add(std::string_view bytes);

  /// What has come of a line that has not ended.
  std::string rest();
  bool at_boundary() const { return partial_.empty(); }

 private:
  std::string partial_;
};

}  // namespace lbsp::launch::processes
