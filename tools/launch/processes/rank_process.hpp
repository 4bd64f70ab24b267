#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tools/launch/processes/line_splitter.hpp"
#include "tools/launch/processes/straggler_watch.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/process.hpp"
#include "tools/uv/stream.hpp"

namespace lbsp::launch::processes {

/// A process of the job on this machine, with its connections. It tells all in frames: what its ranks say,
/// what it writes, and as the last its end.
class RankProcess {
 public:
  using Tell = std::function<void(job::Frame)>;

  /// What it gets of this process.
  struct Inherited {
    bool input = false;      ///< standard input, instead of input frames
    int shared_memory = -1;  ///< the descriptor of the memory of this host's ranks; -1: none
    int port = -1;           ///< that of its socket at this host's port; -1: it opens one itself
  };
  struct Events {
    Tell tell;
    std::function<void()> on_exit;  ///< at once, before its last words have been told
  };

  /// Throws UsageError if there is no such program, SystemError if the system refuses.
  RankProcess(uv::Loop& loop, const job::Spawn& spawn, const Inherited& inherited, Events events);

  int pid() const { return process_->pid(); }
  int first_rank() const { return spawn_.first_rank; }
  bool holds(int rank) const { return rank >= spawn_.first_rank && rank < spawn_.first_rank + spawn_.ranks; }
  /// All is over, and told.
  bool ended() const { return ended_; }

  void send_to_rank(const job::Frame& frame);
  /// An empty one is the end of it. On a terminal every piece is what one read of the user's gave: lines, or
  /// what stood there when he ended it, and the end is not for ever.
  void input(std::string bytes);
  void set_window(const job::Terminal& terminal);
  void signal(int number) { process_->signal(number); }
  void pause_output();
  void resume_output();

 private:
  /// What the process writes on one of its streams.
  struct Output {
    Output(uv::Loop& loop, job::FrameKind kind_told) : kind(kind_told), pause(loop) {}
    job::FrameKind kind;
    std::unique_ptr<uv::Stream> stream;
    LineSplitter lines;
    uv::Timer pause;  ///< since the last byte of a line that has not ended
  };

  void start(const uv::Process::Spec& spec, const Inherited& inherited);
  void note_exit(int code, int signal);
  void read_lines(Output& output);
  void tell_output(Output& output, std::string bytes);
  void tell_partial_line_in_time(Output& output);
  void read_control();
  void give_up_stragglers();
  void end_if_all_has_come();

  job::Spawn spawn_;
  Tell tell_;
  std::function<void()> on_exit_;
  uv::Loop& loop_;
  std::unique_ptr<uv::Stream> input_;
  Output output_;
  Output error_output_;
  std::unique_ptr<uv::Stream> control_;
  int terminal_ = -1;  ///< our end of the process's, if it has one; input_ or output_ owns it
  job::FrameReader frames_;
  StragglerWatch stragglers_;
  std::unique_ptr<uv::Process> process_;
  std::optional<job::Exited> exited_;
  int open_ = 3;          ///< streams from it that have not ended
  bool cut_off_ = false;  ///< and ended, for what it said, which has been told
  bool ended_ = false;
};

}  // namespace lbsp::launch::processes
