#include "tools/launch/user_output.hpp"

#include <cstdint>
#include <unistd.h>
#include <utility>

#include "tools/launch/doors/front.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch {
namespace {

terminal::JobOutput::Options output_options(const course::Job& job) {
  const request::RunOptions& options = job.options;
  return {.tags = options.tag_output && options.backend != job::Backend::mpi,  // mpirun knows the ranks
          .threads = options.backend == job::Backend::threads ? job.placement.size : 1,
          .output_to_error = options.json_to_output(),
          .terminal = ::isatty(STDERR_FILENO) != 0,
          .output_terminal = ::isatty(STDOUT_FILENO) != 0};
}

}  // namespace

UserOutput::UserOutput(uv::Loop& loop, course::Job& job, const ranks::JobProgress& progress,
                       std::function<void()> on_written)
    : loop_(loop),
      on_written_(std::move(on_written)),
      writer_(loop, [this] { written(); }),
      lines_(writer_, output_options(job)),
      flow_(lines_, writer_, job.hosts),
      progress_(loop, progress, lines_) {}

void UserOutput::outlive_front() {
  kept_.emplace(doors::job_number());
}

void UserOutput::go_on_alone() {
  if (!kept_ || is_alone()) return;
  clear_progress();
  if (const int socket = kept_->take_over(); socket >= 0)
    attaching_ = std::make_unique<uv::Listener>(
        loop_, socket, "lbsp attach",
        uv::Listener::Events{.on_connection = [this](int connection) { kept_->admit(connection); },
                             .say = [this](const std::string& text) { say(text); }});
  writer_.forget_problems();
  writer_.forget_loss();
}

void UserOutput::put(const job::Frame& frame) {
  if (!is_alone() || kept_->takes(frame.payload.size())) flow_.put(frame);
}

void UserOutput::clear_progress() {
  lines_.clear_progress();
  progress_.stop();
}

int UserOutput::problem() const {
  return writer_.problem(STDOUT_FILENO);
}

void UserOutput::written() {
  flow_.written();
  // Its reader may have died with it.
  if (doors::front_is_gone()) {
    go_on_alone();
    writer_.forget_problems();
  }
  if (is_alone() && (problem() != 0 || writer_.problem(STDERR_FILENO) != 0)) {
    kept_->disk_is_full();
    writer_.forget_problems();
  }
  on_written_();
}

void UserOutput::write_report(const std::string& text) {
  const std::uint64_t before = is_alone() ? doors::KeptJob::errors_size() : 0;
  write_error_output(text);
  if (is_alone()) kept_->lose(text.size() - (doors::KeptJob::errors_size() - before));
}

int UserOutput::end(const Conclusion& conclusion) {
  if (!is_alone()) return conclusion.code;
  kept_->lose(writer_.lost());
  // As where the disk of a job with its lbsp run is full.
  const int code = conclusion.code == 0 && !kept_->loss().empty() ? 1 : conclusion.code;
  kept_->end(code, conclusion.last_line);
  return code;
}

}  // namespace lbsp::launch
