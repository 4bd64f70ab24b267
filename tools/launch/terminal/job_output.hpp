#pragma once

#include <array>
#include <string>
#include <string_view>

#include "lbsp/job/frame.hpp"
#include "tools/launch/terminal/output_writer.hpp"

namespace lbsp::launch::terminal {

/// What the user sees while the job runs: the ranks' lines, never mixed within a line, and on a terminal a
/// line of progress below them.
class JobOutput {
 public:
  struct Options {
    bool tags = false;             ///< `[rank] ` before every line
    int threads = 1;               ///< ranks that share a process, and so a tag
    bool output_to_error = false;  ///< standard output is for something else
    bool terminal = false;         ///< standard error is one
    bool output_terminal = false;  ///< standard output is one
  };

  JobOutput(OutputWriter& writer, const Options& options) : writer_(writer), options_(options) {}

  /// An output or error_output frame.
  void put(const job::Frame& frame);

  /// A line of lbsp's own on standard error: what the user is told of the job while it goes on.
  void say(const std::string& text);

  /// The user has ended a line on his terminal, and with it the one that a rank had begun there.
  void line_typed();

  void show_progress(const std::string& text);
  void clear_progress();

 private:
  struct Stream {
    int last_rank = -1;
    bool within_line = false;
  };

  std::string merge(Stream& stream, int rank, std::string_view bytes) const;
  std::string tag(int rank) const;

  OutputWriter& writer_;
  Options options_;
  std::array<Stream, 3> streams_;  ///< by descriptor
  bool progress_shown_ = false;
};

}  // namespace lbsp::launch::terminal
