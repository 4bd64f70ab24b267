#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tools/run/line_splitter.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/process.hpp"
#include "tools/uv/stream.hpp"

namespace lbsp::launch {

/// A process of the job on this machine, with its connections. It tells all in frames: what its ranks say,
/// what it writes, and as the last its end.
class RankProcess {
 public:
  using Tell = std::function<void(job::Frame)>;

  /// With `own_input` it gets this process's standard input instead of input frames. Throws UsageError if
  /// there is no such program, SystemError if the system refuses.
  RankProcess(uv::Loop& loop, const job::Spawn& spawn, bool own_input, Tell tell);

  int first_rank() const { return spawn_.first_rank; }
  bool holds(int rank) const { return rank >= spawn_.first_rank && rank < spawn_.first_rank + spawn_.ranks; }
  /// All is over, and told.
  bool ended() const { return ended_; }

  void send_to_rank(const job::Frame& frame);
  /// An empty one is the end of it.
  void input(std::string bytes);
  void signal(int number) { process_->signal(number); }
  void pause_output();
  void resume_output();

 private:
  void start(const uv::Process::Spec& spec, std::optional<int> own_input);
  void read_lines(uv::Stream& stream, LineSplitter& splitter, job::FrameKind kind);
  void read_control();
  void wait_for_stragglers();
  void end_if_all_has_come();

  job::Spawn spawn_;
  Tell tell_;
  uv::Loop& loop_;
  std::unique_ptr<uv::Stream> input_;
  std::unique_ptr<uv::Stream> output_;
  std::unique_ptr<uv::Stream> error_output_;
  std::unique_ptr<uv::Stream> control_;
  LineSplitter output_lines_;
  LineSplitter error_lines_;
  job::FrameReader frames_;
  uv::Timer straggler_;
  std::unique_ptr<uv::Process> process_;
  std::optional<job::Exited> exited_;
  int open_ = 3;           ///< streams from it that have not ended
  int waits_left_ = 20;    ///< for stragglers
  bool has_read_ = false;  ///< since the last wait for stragglers began
  bool paused_ = false;
  bool ended_ = false;
};

}  // namespace lbsp::launch
