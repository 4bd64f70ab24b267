// How a job ends: by itself, by a failure or by the user.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "lbsp/job/program_error.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/launch/doors/front.hpp"
#include "tools/launch/launcher.hpp"
#include "tools/launch/places/rank_names.hpp"
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

void Launcher::take_failure(JobProcess& process, Rank rank, const job::Failure& failure) {
  process.failed = true;
  if (failure.excluded && ending_.may_lose()) {
    const std::string why = why_unheard(rank, missed_.epoch());
    job_.losses().add(
        rank,
        why.empty() ? job::failure_of(rank, job_.placement.hosts[process.host].name, failure.message) : why);
    respawn(process, survival::SpareSlots::Loss::silence);
    return end_without_the_lost();
  }
  const auto kind = failure.consequence ? Failures::Kind::consequence : Failures::Kind::program;
  // What a rank says of itself begins with its own name.
  const std::string& host = job_.placement.hosts[process.host].name;
  const bool of_itself = failure.lost == rank;
  if (failure.lost && job_.processes.has_holder(*failure.lost))
    job_.processes.holder(*failure.lost).missed = true;
  ending_.fail(kind, of_itself ? failure.message : job::failure_of(rank, host, failure.message),
               failure.lost);
}

/// Those that nobody had ended, and yet no other rank heard; as part of a sentence, empty if there are none.
std::string Launcher::without_the_silent() {
  std::vector<Rank> silent = missed_.by_all();
  std::erase_if(silent, [this](Rank rank) {
    if (!job_.processes.has_holder(rank)) return true;
    const JobProcess& holder = job_.processes.holder(rank);
    return holder.ended && !holder.failed;
  });
  if (silent.empty()) return "";
  const std::string host = silent.size() == 1 ? " on " + job_.report.placement().host_of(silent.front()) : "";
  return fmt::format(" without {}{}, which {} silent", places::name_ranks(silent), host,
                     silent.size() == 1 ? "was" : "were");
}

void Launcher::end_without_the_lost() {
  if (!ending_.may_lose() || ending_.failures().any() || job_.losses().all().empty()) return;
  const auto lost = [&](const JobProcess& process) {
    return process.is_outside() || job_.losses().has(process.rank());
  };
  if (!std::ranges::all_of(job_.processes,
                           [&](const auto& process) { return process.ended || lost(process); }))
    return;
  const auto came_to_its_end = [](const JobProcess& process) {
    return process.has_reported() && !process.failed;
  };
  if (std::ranges::none_of(job_.processes, came_to_its_end)) {
    return ending_.fail(Failures::Kind::process,
                        fmt::format("too few ranks were left to go on{}, after {}", without_the_silent(),
                                    job_.losses().first_reason()));
  }
  if (job_.processes.all_ended()) return;
  ending_.kill_processes();
}

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
