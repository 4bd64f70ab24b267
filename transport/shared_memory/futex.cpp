#include "transport/shared_memory/futex.hpp"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lbsp::transport::shared_memory {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, Duration longest) noexcept {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(longest);
  const timespec limit{.tv_sec = whole.count(), .tv_nsec = (longest - whole).count()};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, expected, &limit, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace lbsp::transport::shared_memory
