#pragma once

#include <cstddef>

#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/terminal/job_output.hpp"
#include "tools/launch/terminal/output_writer.hpp"

namespace lbsp::launch::terminal {

/// What the ranks write, on its way to the user. While much of it waits for its reader, the ranks have to wait.
class OutputFlow {
 public:
  /// All must outlive it.
  OutputFlow(JobOutput& output, const OutputWriter& writer, hosts::JobHosts& hosts)
      : output_(output), writer_(writer), hosts_(hosts) {}

  /// An output or error_output frame.
  void put(const job::Frame& frame) {
    output_.put(frame);
    if (paused_ || writer_.queued() < much) return;
    paused_ = true;
    hosts_.pause_output();
  }

  /// Some of it has been written.
  void written() {
    if (!paused_ || writer_.queued() >= little) return;
    paused_ = false;
    hosts_.resume_output();
  }

 private:
  static constexpr std::size_t much = std::size_t{4} << 20;
  static constexpr std::size_t little = std::size_t{1} << 20;

  JobOutput& output_;
  const OutputWriter& writer_;
  hosts::JobHosts& hosts_;
  bool paused_ = false;
};

}  // namespace lbsp::launch::terminal
