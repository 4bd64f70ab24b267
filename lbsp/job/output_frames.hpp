#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "lbsp/job/frame.hpp"

namespace lbsp::job {

/// Frames written as lines among a process's output, for a rank that has no connection of its own to the
/// launcher (mpirun's). Every line begins with the mark, which both sides know and no program prints by
/// chance, and carries a piece of the encoded frames in hexadecimal digits; lines are short enough to be
/// written and passed on whole.
class FrameLines {
 public:
  explicit FrameLines(std::string mark) : mark_(std::move(mark)) {}

  void write(std::FILE* file, const Frame& frame) const;
  std::string to_lines(const Frame& frame) const;

  const std::string& mark() const { return mark_; }

 private:
  std::string mark_;
};

/// Takes such lines out of the output again.
class FrameLineReader {
 public:
  explicit FrameLineReader(std::string mark) : mark_(std::move(mark)) {}

  /// Takes whole lines; gives every frame that is complete to `on_frame`, and returns what was not a frame's
  /// line: the program's own. Throws Error if a marked line does not carry what it should.
  std::string take(std::string_view lines, const std::function<void(Frame)>& on_frame);

 private:
  std::string mark_;
  FrameReader frames_;
};

}  // namespace lbsp::job
