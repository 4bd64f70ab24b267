#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/launch/hosts/host.hpp"
#include "tools/launch/hosts/host_starts.hpp"
#include "tools/launch/processes/line_splitter.hpp"
#include "tools/launch/processes/straggler_watch.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/process.hpp"
#include "tools/uv/stream.hpp"

namespace lbsp::launch::hosts {

/// Another machine, reached by a command (ssh, usually) that runs `lbsp agent` there and connects to its
/// standard input and output. Nothing is sent before an agent of the same version has answered.
class RemoteHost final : public Host {
 public:
  /// The command is started when its turn has come among all others of `starts`, which must outlive this.
  RemoteHost(uv::Loop& loop, HostStarts& starts, std::vector<std::string> command, HostEvents events);
  ~RemoteHost() override { starts_.remove(this); }

  void send(const job::Frame& frame) override;
  void pause_output() override;
  void resume_output() override;
  void finish() override;
  void kill() override;
  bool stopped(int first_rank) const override { return stopped_.contains(first_rank); }

  std::optional<std::string> unanswered() const override;

 private:
  void begin();
  void start();
  void hear();
  /// Nothing was ever there to be let go.
  void give_up();
  void settle();
  void take(std::string_view bytes);
  void take_frame(job::Frame frame);
  void fail(const std::string& problem);
  /// What tells the user most of what is there; empty: nothing was heard.
  std::string said() const;
  void hear_words(const std::string& lines);
  void end_if_all_has_come();

  uv::Loop& loop_;
  HostStarts& starts_;
  HostEvents events_;
  std::vector<std::string> command_;
  std::unique_ptr<uv::Stream> to_agent_;
  std::unique_ptr<uv::Stream> from_agent_;
  std::unique_ptr<uv::Stream> words_;
  processes::LineSplitter word_lines_;
  processes::StragglerWatch stragglers_;
  std::unique_ptr<uv::Process> process_;  ///< none: its turn has not come, or it could not be started
  uv::Timer given_up_;
  job::FrameReader frames_;
  std::vector<job::Frame> waiting_;  ///< for the agent to be ready
  std::string heard_;                ///< the first of what came where an agent should answer
  std::string last_words_;           ///< of the connecting command
  std::string problem_;
  int open_ = 2;          ///< streams from it that have not ended
  bool opening_ = false;  ///< it has begun, and has neither answered nor come to nothing
  bool ready_ = false;
  bool paused_ = false;
  std::set<int> stopped_;  ///< first ranks of stopped processes, as its agent said last
  bool finishing_ = false;
  bool gone_ = false;
};

}  // namespace lbsp::launch::hosts
