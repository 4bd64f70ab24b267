#pragma once

#include <string>

#include "lbsp/job/output_frames.hpp"
#include "tools/launch/hosts/host.hpp"
#include "tools/launch/hosts/local_host.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/processes/line_splitter.hpp"
#include "tools/launch/request/options.hpp"

namespace lbsp::launch::hosts {

/// All hosts of a job whose ranks mpirun starts: one process here, mpirun, that stands for every rank. The
/// ranks' frames come among mpirun's standard error (lbsp/job/mpi_job.hpp), and are taken out of it.
class MpiHost final : public Host {
 public:
  MpiHost(uv::Loop& loop, const request::RunOptions& options, const places::Placement& placement,
          LocalHost::Input input, HostEvents events);

  void send(const job::Frame& frame) override;
  void pause_output() override { mpirun_.pause_output(); }
  void resume_output() override { mpirun_.resume_output(); }
  void finish() override { mpirun_.finish(); }
  void kill() override { mpirun_.kill(); }
  bool stopped(int first_rank) const override { return mpirun_.stopped(first_rank); }

 private:
  void take(job::Frame frame);
  void take_error_output(job::Frame frame);
  void explain(job::Frame& exit) const;
  /// When the ranks are up, and with them mpirun's connections to all hosts.
  void bound_waits();
  job::Spawn mpirun_for(job::Spawn spawn) const;

  request::RunOptions options_;
  places::Placement placement_;
  HostEvents events_;
  std::string mark_;
  processes::LineSplitter error_lines_;  ///< frames come by whole lines
  job::FrameLineReader lines_;
  LocalHost mpirun_;
  bool failed_ = false;  ///< a rank has told why it failed; what mpirun says of that is no news
};

}  // namespace lbsp::launch::hosts
