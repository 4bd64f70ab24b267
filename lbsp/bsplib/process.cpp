#include "lbsp/bsplib/process.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "lbsp/bsplib/thread_end.hpp"
#include "lbsp/job/channel.hpp"
#include "transport/error.hpp"

namespace lbsp::bsplib {

Process& Process::instance() {
  // Never destroyed: it is used by what runs at exit.
  static Process* const process = new Process;
  return *process;
}

std::string Process::whereabouts() const {
  if (phase_ == Phase::untouched) return "before bsp_begin";
  std::string text = fmt::format("on rank {}", rank());
  if (phase_ == Phase::running) return text + fmt::format(" in superstep {}", world_->superstep());
  return text + (phase_ > Phase::running ? " after bsp_end" : " before bsp_begin");
}

void Process::fail(const std::string& message) {
  fail(std::make_exception_ptr(UsageError(message)));
}

void Process::fail(const std::exception_ptr& thrown) {
  std::fflush(nullptr);
  try {
    job_.fail(thrown, world_.get(), phase_ == Phase::running ? world_->time() : ran_);
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
  act_at_exit();
}

void Process::act_at_exit() {
  ::on_exit([](int code, void*) { instance().exiting(code); }, nullptr);
}

/// A process other than 0 that reads its input before bsp_init finds none, and the program's own message
/// about that does not say why.
std::string Process::advice_on_input() const {
  const bool read_in_vain = phase_ <= Phase::arrived && !initialised_ && rank() != 0 && std::feof(stdin) != 0;
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
  if (phase_ == Phase::between) end_program();
}

void Process::init(SpmdFunction function) {
  const bool further = phase_ == Phase::between && initialised_;
  if (!further && (phase_ != Phase::untouched || initialised_)) {
    fail(fmt::format("bsp_init {}: {}", whereabouts(),
                     initialised_
                         ? "it was called before: call it once before each SPMD part"
                         : "another call of BSPlib came before: make it the first statement of main"));
  }
  initialised_ = true;
  arrive();
  if (function == nullptr)
    fail(fmt::format("bsp_init {}: the function is NULL: give the one with bsp_begin", whereabouts()));
  function_is_new_ = further && function != function_;
  function_ = function;
  if (rank() != 0) serve();
}

void Process::arrive() {
  if (phase_ != Phase::untouched) return;
  try {
    job_.arrive();
  } catch (...) {
    fail(std::current_exception());
  }
  size_ = job_.size();
  phase_ = Phase::arrived;
  watch_exit();
}

void Process::join(Number processes) {
  if (!job_.join(processes)) {
    phase_ = Phase::surplus;
    std::exit(0);
  }
  size_ = job_.exchange().size();
  parts_ = std::make_unique<SpmdParts>(job_.exchange());
}

void Process::serve() {
  function_();
  while (phase_ == Phase::between) {
    follow();
    if (!next_) break;
    if (rank() >= next_->processes) continue;
    function_();
    if (next_)
      fail(fmt::format("the function of bsp_init returned {} without bsp_begin: call it there",
                       whereabouts()));
  }
  std::exit(0);
}

/// Has process 0 say what comes next; if that is the end of the program, this process takes its leave.
void Process::follow() {
  try {
    next_ = parts_->follow();
    if (next_ && next_->function) function_ = function_at(*next_->function);
    if (!next_) take_leave();
  } catch (const PeerLost&) {
    depart();
  } catch (...) {
    fail(std::current_exception());
  }
}

void Process::begin(Number processes) {
  if (phase_ == Phase::running)
    fail(fmt::format("bsp_begin {}: it was called before: call bsp_end first", whereabouts()));
  arrive();
  if (rank() == 0 && processes < 1) {
    fail(fmt::format("bsp_begin on rank 0: {} processes: ask for at least 1", processes));
  }
  try {
    if (phase_ == Phase::between) {
      begin_again(processes);
    } else {
      join(processes);
    }
    part_ = std::make_unique<PartExchange>(job_.exchange(), size_);
    world_ = std::make_unique<World>(*part_);
    job_.world_begins(*world_);
    spmd_ = std::make_unique<Spmd>(*world_);
    running_ = spmd_.get();
  } catch (...) {
    fail(std::current_exception());
  }
  phase_ = Phase::running;
  at_end_of_this_thread([] { instance().thread_ends(); });
}

/// The process would stay for the network's thread, and the others would wait for it.
void Process::thread_ends() {
  if (phase_ == Phase::between) {
    end_program();
    job_.stop_watching();
    return;
  }
  if (phase_ != Phase::running) return;
  fail(fmt::format("the thread of bsp_begin ended {} without bsp_end: let it come there before pthread_exit",
                   whereabouts()));
}

void Process::begin_again(Number processes) {
  if (initialised_ && rank() != 0) {
    if (!next_) follow();
    if (!next_)
      throw UsageError(
          fmt::format("bsp_begin {}: process 0 has ended the program: call it equally often on every process",
                      whereabouts()));
  } else {
    // Where all processes run main, those that were not in the last part wait in it for the program's end.
    NextPart wanted{.processes = std::min<Number>(processes, initialised_ ? job_.exchange().size() : size_),
                    .function = std::nullopt};
    if (function_is_new_) wanted.function = place_of(function_);
    next_ = parts_->begin(wanted);
  }
  function_is_new_ = false;
  size_ = static_cast<Rank>(next_->processes);
  next_.reset();
  if (rank() >= size_) wait_for_the_end();
  job_.another_follows(*world_, ran_);
}

void Process::wait_for_the_end() {
  do
    follow();
  while (phase_ == Phase::between);
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
    ran_ = world_->time();
    job_.world_ends(*world_, ran_, ran_ - done);
  } catch (...) {
    fail(std::current_exception());
  }
  running_ = nullptr;
  spmd_.reset();
  // What the job needs to take its leave ends after that: what is registered last is called first.
  if (!std::exchange(leave_is_watched_, true)) act_at_exit();
  phase_ = Phase::between;
}

void Process::end_program() {
  try {
    if (!initialised_ || rank() == 0) {
      parts_->end();
    } else if (parts_->follow()) {
      throw UsageError(
          fmt::format("exit {}, where process 0 begins another SPMD part: return from the function instead",
                      whereabouts()));
    }
    take_leave();
  } catch (const PeerLost&) {
    depart();
  } catch (...) {
    fail(std::current_exception());
  }
}

void Process::take_leave() {
  job_.exchange().finish();
  depart();
}

/// Also where another process has left without a word, by _exit. If that was not in order, the launcher says so.
void Process::depart() {
  job_.leave();
  world_.reset();
  phase_ = Phase::over;
}

Number Process::nprocs() {
  arrive();
  return size_;
}

}  // namespace lbsp::bsplib
