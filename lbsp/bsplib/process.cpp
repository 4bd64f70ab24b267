#include "lbsp/bsplib/process.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "lbsp/job/mpi_job.hpp"
#include "lbsp/job/pmix_job.hpp"
#include "lbsp/job/program_error.hpp"
#include "lbsp/job/standard_streams.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace lbsp::bsplib {

using job::FrameKind;

Process& Process::instance() {
  // Never destroyed: it is used by what runs at exit.
  static Process* const process = new Process;
  return *process;
}

std::string Process::whereabouts() const {
  if (phase_ == Phase::untouched) return "before bsp_begin";
  std::string text = fmt::format("on rank {}", rank_);
  if (world_) return text + fmt::format(" in superstep {}", world_->superstep());
  return text + (phase_ == Phase::over ? " after bsp_end" : " before bsp_begin");
}

void Process::fail(const std::string& message) {
  fail(std::make_exception_ptr(UsageError(message)));
}

void Process::fail(const std::exception_ptr& thrown) {
  std::fflush(nullptr);
  try {
    if (member_ && world_) {
      member_->fail(thrown);
      member_->report(*world_);
      member_->leave();
    } else if (channel_) {
      const job::Failure failure{job::describe(thrown), false};
      channel_->send({FrameKind::failure, 0, to_payload(failure)});
    } else {
      print_error(job::describe(thrown));
    }
  } catch (const std::exception&) {
    // The launcher is gone: there is nobody to tell.
  }
  ::_exit(1);
}

/// Before main, so that a program may end in order before its first call of BSPlib, too.
[[maybe_unused]] const bool exits_are_watched = [] {
  if (job::Channel::is_inherited()) Process::instance().watch_exit();
  return true;
}();

void Process::watch_exit() {
  if (pid_ != 0) return;
  pid_ = ::getpid();
  ::on_exit([](int code, void*) { instance().exiting(code); }, nullptr);
}

/// A process other than 0 that reads its input before bsp_init finds none, and the program's own message
/// about that does not say why.
std::string Process::advice_on_input() const {
  const bool read_in_vain = phase_ <= Phase::arrived && !initialised_ && rank_ != 0 && std::feof(stdin) != 0;
  if (!read_in_vain) return "";
  return " (only process 0 has the standard input, and all processes run what stands before bsp_init: make that the "
         "first statement of main)";
}

void Process::exiting(int code) {
  if (::getpid() != pid_ || exiting_) return;  // a child made by fork has no part in the job
  exiting_ = true;
  // The launcher learns what kind of program this is, and decides with the other ranks' ends.
  const bool reads_too_early = phase_ == Phase::untouched && std::feof(stdin) != 0;
  if ((phase_ == Phase::untouched && code == 0) || reads_too_early) arrive();
  const std::string advice = advice_on_input();
  if (code != 0 && !advice.empty()) fail(fmt::format("exit with {} {}{}", code, whereabouts(), advice));
  if (phase_ == Phase::running) {
    fail(fmt::format("exit, or return from main, {} without bsp_end: call it on every process",
                     whereabouts()));
  }
}

void Process::refuse_threads() {
  const job::Welcome& welcome = arrival_->welcome;
  if (welcome.backend != job::Backend::threads || welcome.size == 1) return;
  throw UsageError(
      "--backend threads: the global variables of a C program would be shared by all its ranks: use "
      "--backend udp");
}

void Process::arrive() {
  if (phase_ != Phase::untouched) return;
  job::open_standard_descriptors();
  try {
    if (std::getenv(job::mark_variable) != nullptr) {
      throw UsageError("--backend mpi: a program of bsp.h cannot be started by mpirun: use --backend udp");
    }
    if (const auto socket = job::Channel::inherited()) {
      channel_ = std::make_unique<job::Channel>(*socket);
      arrival_ = job::arrive(*channel_, job::SizeKnown::later);
      rank_ = arrival_->welcome.rank;
      size_ = arrival_->welcome.size;
      refuse_threads();
    } else if (job::PmixClient::is_inherited()) {
      site_ = std::make_unique<job::PmixClient>();
      rank_ = site_->rank();
      size_ = site_->size();
    }
  } catch (...) {
    fail(std::current_exception());
  }
  phase_ = Phase::arrived;
  watch_exit();
}

void Process::init(void (*function)()) {
  if (phase_ != Phase::untouched || initialised_) {
    fail(fmt::format("bsp_init {}: {}", whereabouts(),
                     initialised_
                         ? "it was called before: call it once"
                         : "another call of BSPlib came before: make it the first statement of main"));
  }
  initialised_ = true;
  arrive();
  if (function == nullptr)
    fail(fmt::format("bsp_init {}: the function is NULL: give the one with bsp_begin", whereabouts()));
  if (rank_ == 0) return;
  function();
  std::exit(0);
}

void Process::begin(Number processes) {
  if (phase_ > Phase::arrived) {
    fail(fmt::format("bsp_begin {}: a program has one SPMD part: call it once", whereabouts()));
  }
  arrive();
  if (rank_ == 0 && processes < 1) {
    fail(fmt::format("bsp_begin on rank 0: {} processes: ask for at least 1", processes));
  }
  try {
    if (channel_) {
      enter(processes);
    } else if (site_) {
      enter_under_pmix(processes);
    } else {
      stand_alone();
    }
    spmd_ = std::make_unique<Spmd>(*world_);
    running_ = spmd_.get();
  } catch (...) {
    fail(std::current_exception());
  }
  phase_ = Phase::running;
}

void Process::stand_alone() {
  alone_ = std::move(transport::make_threads_exchanges(1).front());
  world_ = std::make_unique<World>(*alone_);
}

void Process::enter(Number processes) {
  const auto called = std::chrono::steady_clock::now();
  if (rank_ == 0) {
    const Number size = std::min<Number>(processes, size_);
    channel_->send({FrameKind::size, 0, fmt::format("{}", size)});
  }
  auto membership = job::enter(*channel_, std::move(*arrival_), job::SizeKnown::later);
  arrival_.reset();
  if (membership.exchanges.empty()) leave_as_surplus();
  member_ = std::make_unique<job::Member>(std::move(membership.exchanges.front()),
                                          job::tell_over(*channel_, std::uint16_t{0}));
  if (membership.welcome.trace) member_->trace();
  member_->trace(std::move(membership.log));
  size_ = member_->exchange().size();
  watch_ = std::make_unique<job::Watch>(*channel_, std::vector<job::Member*>{member_.get()},
                                        membership.welcome.progress);
  member_->joined_in(std::chrono::steady_clock::now() - called);
  world_ = std::make_unique<World>(member_->exchange());
  member_->watch(*world_);
}

void Process::enter_under_pmix(Number processes) {
  auto membership = job::join(*site_, static_cast<Rank>(std::min<Number>(processes, size_)));
  if (membership.exchanges.empty()) leave_as_surplus();
  member_ = job::make_member(std::move(membership));
  size_ = member_->exchange().size();
  world_ = std::make_unique<World>(member_->exchange());
  member_->watch(*world_);
}

void Process::leave_as_surplus() {
  phase_ = Phase::surplus;
  if (site_) site_->finalize();
  std::exit(0);
}

void Process::end() {
  try {
    const std::string lost = world_->unsynced();
    if (!lost.empty()) {
      fmt::print(stderr, "lbsp: bsp_end {} loses {} since the last bsp_sync: call bsp_sync before bsp_end\n",
                 whereabouts(), lost);
    }
    const Seconds done = world_->time();
    spmd_->end();
    if (member_) member_->left_in(world_->time() - done);
    running_ = nullptr;
    spmd_.reset();
    if (member_) {
      member_->report(*world_);
      member_->leave();
    }
    if (site_) site_->finalize();
  } catch (...) {
    fail(std::current_exception());
  }
  phase_ = Phase::over;
  world_.reset();
}

Number Process::nprocs() {
  arrive();
  return size_;
}

}  // namespace lbsp::bsplib
