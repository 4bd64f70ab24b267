#include "lbsp/job/endings/crash_report.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

namespace lbsp::job::endings {
namespace {

constexpr std::size_t signal_stack_bytes = std::size_t{64} << 10;
constexpr std::size_t empty_frame_bytes = 7;

std::atomic<const Channel*> channel_of_crashes = nullptr;
std::atomic<pid_t> pid_of_crashes = 0;
/// Made before, as nothing can be allocated then.
thread_local constinit std::array<char, empty_frame_bytes> crash_frame{};
thread_local constinit bool is_rank_of_crashes = false;

/// Only what may be called wherever the thread was. A child made by fork has the handler, too, but no part in the job;
/// and what somebody sends to a process comes to any of its threads.
void tell_crash(int signal, siginfo_t* about, void*) {
  const Channel* const channel = channel_of_crashes.load();
  if (is_rank_of_crashes && channel != nullptr && about->si_code != SI_USER && ::getpid() == pid_of_crashes)
    channel->send_last({crash_frame.data(), crash_frame.size()});
  // It is blocked until this returns, and then has its usual effect where the thread was.
  ::raise(signal);
}

}  // namespace

CrashReport::CrashReport(const Channel& channel) {
  channel_of_crashes = &channel;
  pid_of_crashes = ::getpid();
  struct sigaction action {};
  action.sa_sigaction = tell_crash;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (std::size_t place = 0; place < signals_.size(); ++place) {
    struct sigaction before {};
    taken_[place] = ::sigaction(signals_[place], nullptr, &before) == 0 &&
                    (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL &&
                    ::sigaction(signals_[place], &action, nullptr) == 0;
  }
}

CrashReport::~CrashReport() {
  for (std::size_t place = 0; place < signals_.size(); ++place) {
    struct sigaction now {};
    if (!taken_[place] || ::sigaction(signals_[place], nullptr, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == tell_crash)
      ::signal(signals_[place], SIG_DFL);
  }
  channel_of_crashes = nullptr;
}

CrashReport::RankHere::RankHere(std::uint16_t place)
    : stack_(std::make_unique_for_overwrite<std::byte[]>(signal_stack_bytes)) {
  const std::string frame = encode({FrameKind::crashed, place, {}});
  std::ranges::copy(std::string_view(frame).substr(0, empty_frame_bytes), crash_frame.begin());
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = signal_stack_bytes;
  // One that is there is a sanitizer's, or the program's.
  if (::sigaltstack(nullptr, &before_) == 0 && (before_.ss_flags & SS_DISABLE) != 0)
    ::sigaltstack(&stack, nullptr);
  is_rank_of_crashes = true;
}

CrashReport::RankHere::~RankHere() {
  is_rank_of_crashes = false;
  if ((before_.ss_flags & SS_DISABLE) != 0) ::sigaltstack(&before_, nullptr);
}

}  // namespace lbsp::job::endings
