#pragma once

#include <memory>
#include <vector>

#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/course/starting.hpp"
#include "tools/launch/terminal/user_terminal.hpp"
#include "tools/launch/user_output.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch {

/// What a job does at the signals that its launcher gets.
class UserSignals {
 public:
  /// All must outlive it.
  UserSignals(uv::Loop& loop, course::Job& job, course::Ending& ending, course::Starting& starting,
              UserOutput& output, terminal::UserTerminal& terminal);

  /// From now on.
  void watch();

 private:
  void hang_up();
  void pause();

  uv::Loop& loop_;
  course::Job& job_;
  course::Ending& ending_;
  course::Starting& starting_;
  UserOutput& output_;
  terminal::UserTerminal& terminal_;
  uv::Timer hang_up_timer_;
  uv::Timer pause_timer_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
};

}  // namespace lbsp::launch
