// How a job ends: by itself, by a failure or by the user.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "lbsp/job/program_error.hpp"
#include "tools/command_line/signal_name.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/doors/front.hpp"
#include "tools/launch/launcher.hpp"
#include "tools/launch/places/rank_names.hpp"
#include "tools/launch/report/models_of_run.hpp"
#include "tools/launch/report/report_screen.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch {

using ranks::Failures;
using ranks::JobProcess;

namespace {

using job::FrameKind;
using std::chrono::milliseconds;

/// After a program's failure: for the other ranks to hear of it and give their reports.
constexpr milliseconds settling{1'000};
/// For the ranks to say what they have done, or to go on with that, before they are ended.
constexpr milliseconds accounting{1'000};
/// Between SIGTERM, or the user's signal, and SIGKILL.
constexpr milliseconds grace{2'000};
/// For the hosts to let go after that, or after the orderly end.
constexpr milliseconds letting_go{5'000};
/// One that goes to all processes of a group comes twice: from there, and from the `lbsp run` in front.
constexpr milliseconds same_interrupt{100};
/// The hang-up that it causes may come before it has died.
constexpr milliseconds death_of_the_front{200};
/// For a reader of the output who does not read, after an interrupt.
constexpr milliseconds last_output{1'000};

}  // namespace

void Launcher::fail(Failures::Kind kind, const std::string& message, std::optional<Rank> lost) {
  if (phase_ >= Phase::ending) return;
  const bool first = !failures_.any();
  failures_.add(kind, message, lost);
  if (kind == Failures::Kind::process) {
    end_processes(SIGTERM);
  } else if (first) {
    start_timer_.stop();
    end_timer_.start(settling, [this] { end_processes(SIGTERM); });
  }
}

void Launcher::take_failure(JobProcess& process, Rank rank, const job::Failure& failure) {
  process.failed = true;
  if (failure.excluded && may_lose()) {
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
  fail(kind, of_itself ? failure.message : job::failure_of(rank, host, failure.message), failure.lost);
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
  if (!may_lose() || failures_.any() || job_.losses().all().empty()) return;
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
    return fail(Failures::Kind::process, fmt::format("too few ranks were left to go on{}, after {}",
                                                     without_the_silent(), job_.losses().first_reason()));
  }
  if (job_.processes.all_ended()) return;
  phase_ = Phase::ending;
  last_signal_ = SIGKILL;
  signal_processes();
}

void Launcher::interrupt(int signal) {
  const auto now = std::chrono::steady_clock::now();
  if (std::exchange(interrupted_at_, now) + same_interrupt > now && interrupted_ == signal) return;
  if (interrupted_ != 0 || phase_ == Phase::closing) {
    interrupted_ = signal;
    last_signal_ = 0;
    job_.hosts.signal(SIGKILL);
    end_timer_.start(last_output, [this] { loop_.stop(); });
    return;
  }
  interrupted_ = signal;
  // The ranks' own output is whole; SIGPIPE is for this process, whose output has lost its reader.
  end_processes(signal == SIGPIPE ? SIGTERM : signal);
}

void Launcher::hang_up() {
  if (!job_.options.exchange.outlives_ranks) return interrupt(SIGHUP);
  if (is_alone()) return;
  hang_up_timer_.start(death_of_the_front, [this] {
    if (!doors::front_is_gone()) interrupt(SIGHUP);
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
  if (const int problem = writer_.problem(STDOUT_FILENO); problem != 0 && phase_ < Phase::ending) {
    if (problem == EPIPE) {
      interrupt(SIGPIPE);
    } else {
      fail(Failures::Kind::process, command_line::describe_output_problem(problem));
    }
  }
  finish_if_done();
}

void Launcher::put_output(const job::Frame& frame) {
  if (!is_alone() || kept_->takes(frame.payload.size())) flow_.put(frame);
}

void Launcher::end_processes(int signal) {
  start_timer_.stop();
  const bool running = phase_ == Phase::running && job_.options.backend != job::Backend::mpi;
  phase_ = Phase::ending;
  progress_line_.stop();
  window_.close();
  door_.close();
  last_signal_ = signal;
  if (!running) return signal_processes();
  course::ask_ranks(job_.hosts, job_.processes, FrameKind::account);
  go_on_listening();
  end_if_all_have_told();
}

void Launcher::go_on_listening() {
  if (phase_ == Phase::ending && last_signal_ != 0)
    end_timer_.start(accounting, [this] { signal_processes(); });
}

void Launcher::end_if_all_have_told() {
  if (phase_ == Phase::ending && last_signal_ != 0 && job_.processes.all_have_told()) signal_processes();
}

void Launcher::signal_processes() {
  job_.hosts.signal(std::exchange(last_signal_, 0));
  // A stopped process acts upon the signal only then.
  job_.hosts.signal(SIGCONT);
  end_timer_.start(grace, [this] {
    job_.hosts.signal(SIGKILL);
    end_timer_.start(letting_go, [this] {
      job_.hosts.kill();
      end_timer_.start(letting_go, [this] { loop_.stop(); });
    });
  });
  close_if_all_ended();
}

void Launcher::close_if_all_ended() {
  if (!job_.processes.all_ended() || phase_ == Phase::closing) return;
  phase_ = Phase::closing;
  output_.clear_progress();
  progress_line_.stop();
  start_timer_.stop();
  end_timer_.start(letting_go, [this] {
    job_.hosts.kill();
    if (interrupted_ != 0) loop_.stop();
  });
  job_.hosts.finish();
  finish_if_done();
}

void Launcher::finish_if_done() {
  if (phase_ == Phase::closing && job_.hosts.all_gone() && writer_.queued() == 0) loop_.stop();
}

void Launcher::tell_report() {
  const std::string text = report::report_as_text(job_.report);
  const std::uint64_t before = is_alone() ? doors::KeptJob::errors_size() : 0;
  write_error_output(text);
  if (is_alone()) kept_->lose(text.size() - (doors::KeptJob::errors_size() - before));
}

int Launcher::conclude() {
  if (is_alone()) kept_->lose(writer_.lost());
  const int output_problem = writer_.problem(STDOUT_FILENO);
  if (output_problem == EPIPE && interrupted_ == 0 && !failures_.any()) interrupted_ = SIGPIPE;
  std::string reason = why_not_finished();
  if (job_.start_up.size() == 0 && reason.empty()) {
    files_.write_trace(job_.report);
    print_error(fmt::format("{} ended before bsp_begin: there is nothing to report", job_.options.program));
    return 0;
  }
  const bool wrong = job_.report.verified() == false;
  const bool finished = job_.report.complete() && interrupted_ == 0 && (!failures_.any() || wrong);
  if (!finished) job_.report.set_unfinished(reason);
  files_.write_trace(job_.report);
  job_.report.set_models(report::models_of(job_.report, files_.short_trace()));
  if (started_) files_.write_report(job_.report);
  if (reason.empty()) reason = files_.problem();
  // Whoever closed the output has had enough: as with other tools there is nothing more to say.
  const bool quiet = interrupted_ == SIGPIPE;
  if (finished || (job_.report.supersteps() > 0 && !quiet)) tell_report();
  if (!reason.empty() && !quiet) {
    last_line_ = reason;
  } else if (wrong && !quiet) {
    last_line_ = fmt::format("{} found its answer wrong on {}: see its output", job_.options.program,
                             report::ranks_that_found_it_wrong(job_.report));
  }
  if (!last_line_.empty()) print_error(last_line_);
  if (interrupted_ != 0) return 128 + interrupted_;
  return reason.empty() && !wrong ? 0 : 1;
}

/// Empty if nothing is wrong but, perhaps, the answer.
std::string Launcher::why_not_finished() const {
  if (interrupted_ != 0)
    return fmt::format("ended by {}, and the job with it", command_line::signal_name(interrupted_));
  if (failures_.any()) return failures_.message();
  const int output_problem = writer_.problem(STDOUT_FILENO);
  return output_problem != 0 ? command_line::describe_output_problem(output_problem) : std::string();
}

}  // namespace lbsp::launch
