#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "lbsp/job/channel.hpp"

namespace lbsp::job::endings {

/// Of a process whose threads are ranks: its end alone does not tell which of them it was that crashed. While this
/// lives, the rank whose thread gets a signal of a crash tells the launcher so, and the process then dies of it as it
/// would have. A signal that the program, or a sanitizer, handles itself is left alone. One at a time.
class CrashReport {
 public:
  /// The channel must outlive it.
  explicit CrashReport(const Channel& channel);
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;
  ~CrashReport();

  /// While this lives, its thread is the rank in that place of the process. It has a stack for signals, so that one
  /// whose own is full can tell, too.
  class RankHere {
   public:
    explicit RankHere(std::uint16_t place);
    RankHere(const RankHere&) = delete;
    RankHere& operator=(const RankHere&) = delete;
    ~RankHere();

   private:
    std::unique_ptr<std::byte[]> stack_;
    stack_t before_{};
  };

 private:
  static constexpr std::array signals_{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};

  std::array<bool, signals_.size()> taken_{};
};

}  // namespace lbsp::job::endings
