// How a job ends: by itself, by a failure or by the user.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "tools/command_line/standard_output.hpp"
#include "tools/launch/doors/front.hpp"
#include "tools/launch/launcher.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch {

using ranks::Failures;
using ranks::JobProcess;

namespace {

using job::FrameKind;
using std::chrono::milliseconds;

/// The hang-up that it causes may come before it has died.
constexpr milliseconds death_of_the_front{200};

}  // namespace

void Launcher::hang_up() {
  if (!job_.options.exchange.outlives_ranks) return ending_.interrupt(SIGHUP);
  if (is_alone()) return;
  hang_up_timer_.start(death_of_the_front, [this] {
    if (!doors::front_is_gone()) ending_.interrupt(SIGHUP);
  });
}

void Launcher::go_on_alone() {
  if (!kept_ || is_alone()) return;
  output_.clear_progress();
  progress_line_.stop();
  if (const int socket = kept_->take_over(); socket >= 0)
    attaching_ =
        std::make_unique<uv::Listener>(loop_, socket, [this](int connection) { kept_->admit(connection); });
  writer_.forget_problems();
  writer_.forget_loss();
}

void Launcher::output_written() {
  flow_.written();
  // Its reader may have died with it.
  if (doors::front_is_gone()) {
    go_on_alone();
    writer_.forget_problems();
  }
  if (is_alone() && (writer_.problem(STDOUT_FILENO) != 0 || writer_.problem(STDERR_FILENO) != 0)) {
    kept_->disk_is_full();
    writer_.forget_problems();
  }
  if (const int problem = writer_.problem(STDOUT_FILENO);
      problem != 0 && ending_.phase() < course::Phase::ending) {
    if (problem == EPIPE) {
      ending_.interrupt(SIGPIPE);
    } else {
      ending_.fail(Failures::Kind::process, command_line::describe_output_problem(problem));
    }
  }
  ending_.finish_if_done();
}

void Launcher::put_output(const job::Frame& frame) {
  if (!is_alone() || kept_->takes(frame.payload.size())) flow_.put(frame);
}

void Launcher::write_report(const std::string& text) {
  const std::uint64_t before = is_alone() ? doors::KeptJob::errors_size() : 0;
  write_error_output(text);
  if (is_alone()) kept_->lose(text.size() - (doors::KeptJob::errors_size() - before));
}

}  // namespace lbsp::launch
