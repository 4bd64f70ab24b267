#include "tools/launch/launcher.hpp"

#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

#include "tools/command_line/standard_output.hpp"
#include "tools/launch/conclusion.hpp"
#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/doors/front.hpp"
#include "tools/launch/hosts/local_host.hpp"
#include "transport/error.hpp"

namespace lbsp::launch {

using job::Frame;
using job::FrameKind;
using ranks::Failures;

Launcher::Launcher(const request::RunOptions& options, const places::Placement& placement,
                   const network::KnownNetwork* known)
    : job_(loop_, options, placement, known,
           {[this](std::size_t host, const Frame& frame) { take(host, frame); },
            [this](std::size_t host, const std::string& problem) { take_host_gone(host, problem); }}),
      files_(options),
      output_(loop_, job_, progress_, [this] { output_written(); }),
      terminal_(loop_, job_.hosts, job_.start_up, output_.lines()),
      ending_(loop_, job_, output_.writer(),
              {.on_failure = [this] { starting_.stop_waiting(); },
               .on_end = [this] { leave_off(); },
               .on_close =
                   [this] {
                     output_.clear_progress();
                     starting_.stop_waiting();
                   }}),
      starting_(loop_, job_, ending_, [this] { begin(); }),
      life_signs_(loop_, job_, ending_, [this] { members_.end_without_the_lost(); }),
      members_(loop_, job_, ending_,
               {.say = [this](const std::string& text) { output_.say(text); },
                .on_world =
                    [this](const job::Changed& change) {
                      progress_.go_on_with(change.members);
                      window_.go_on_with(change);
                    },
                .joining = {.on_host = [this] { life_signs_.add_host(); },
                            .on_size =
                                [this](Rank size) {
                                  progress_.set_size(size);
                                  window_.set_size(size);
                                }}}),
      departures_(loop_, job_, ending_),
      window_(loop_, job_.options, job_.placement,
              {.ask = [this] { course::ask_ranks(job_.hosts, job_.processes, FrameKind::look); },
               .say = [this](const std::string& text) { output_.say(text); }}),
      signals_(loop_, job_, ending_, starting_, output_, terminal_) {}

int Launcher::run() {
  if (job_.options.exchange.outlives_ranks) output_.outlive_front();
  signals_.watch();
  if (doors::front_is_gone()) output_.go_on_alone();
  starting_.await();
  const bool own_input = ::isatty(STDIN_FILENO) == 0;
  job_.hosts.start(own_input ? hosts::LocalHost::Input::own : hosts::LocalHost::Input::frames);
  const bool rank_0_is_here = job_.options.backend == job::Backend::mpi || job_.placement.hosts.front().local;
  if (!rank_0_is_here || !own_input) terminal_.read_input();
  output_.progress().await(job_.start_up);
  starting_.begin();
  loop_.run();
  return output_.end(conclude(job_, files_,
                              {.started = starting_.complete(),
                               .interrupted = ending_.interrupted(),
                               .output_problem = output_.problem(),
                               .failures = ending_.failures()},
                              [this](const std::string& report) { output_.write_report(report); }));
}

void Launcher::begin() {
  const Rank size = job_.start_up.size();
  progress_.set_size(size);
  life_signs_.begin();
  output_.progress().start();
  if (job_.options.backend == job::Backend::mpi) return;
  window_.open(size, job_.report.options().backend);
  members_.joining().open();
}

void Launcher::leave_off() {
  starting_.stop_waiting();
  output_.progress().stop();
  window_.close();
  members_.joining().close();
}

void Launcher::output_written() {
  if (const int problem = output_.problem(); problem != 0 && ending_.phase() < course::Phase::ending) {
    if (problem == EPIPE) {
      ending_.interrupt(SIGPIPE);
    } else {
      ending_.fail(Failures::Kind::process, command_line::describe_output_problem(problem));
    }
  }
  ending_.finish_if_done();
}

}  // namespace lbsp::launch
