#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/ranks/start_up.hpp"
#include "tools/launch/terminal/job_input.hpp"
#include "tools/launch/terminal/job_output.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::terminal {

/// What rank 0 gets from where the user sits: what he types, and the size of his window.
class UserTerminal {
 public:
  /// All must outlive it.
  UserTerminal(uv::Loop& loop, hosts::JobHosts& hosts, const ranks::StartUp& start_up, JobOutput& output)
      : loop_(loop), hosts_(hosts), start_up_(start_up), output_(output) {}

  /// Reads standard input for the rank, from now on.
  void read_input();
  /// The rank has taken so many bytes of it.
  void input_taken(std::size_t bytes);
  /// The window may have another size than it had.
  void tell_window();

 private:
  uv::Loop& loop_;
  hosts::JobHosts& hosts_;
  const ranks::StartUp& start_up_;
  JobOutput& output_;
  std::unique_ptr<JobInput> input_;
};

}  // namespace lbsp::launch::terminal
