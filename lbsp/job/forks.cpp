#include "lbsp/job/forks.hpp"

#include <atomic>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "transport/printable.hpp"

namespace lbsp::job {
namespace {

/// How many fork()s this process is away from the one that counts from 0.
std::atomic<unsigned> generation = 0;

void watch_forks() {
  [[maybe_unused]] static const int watched = ::pthread_atfork(nullptr, nullptr, [] {
    generation.store(generation.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  });
}

}  // namespace

Forks::Forks() {
  watch_forks();
  generation_ = generation.load(std::memory_order_relaxed);
}

bool Forks::is_child() const noexcept {
  return generation.load(std::memory_order_relaxed) != generation_;
}

void Forks::end_child(int rank, std::string_view what) const noexcept {
  if (!is_child()) return;
  try {
    print_error(fmt::format(
        "a process that the program of rank {} made by fork() {}: end such children by _exit, as only the "
        "rank's own process has part in the job",
        rank, what));
  } catch (...) {  // out of memory: then without a line
  }
  ::_exit(1);
}

}  // namespace lbsp::job
