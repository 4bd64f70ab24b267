#include "lbsp/job/joining/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/joining/mpi_job.hpp"

namespace lbsp::job::joining {
namespace {

/// A rank's standard output is a pipe to its launcher, so stdio would keep 4096 bytes of it back, and a crash
/// would take them along. By lines, as on a terminal, all that was printed before the crash arrives, and what
/// the user sees is what the program has reached. A line costs a system call, 0.4 µs more than a full buffer
/// does. It must be said before the program's first output, so before main; C++ streams write through stdio
/// unless the program separates them.
__attribute__((constructor)) void write_by_lines() {
  if (std::getenv(control_variable) == nullptr && std::getenv(mark_variable) == nullptr) return;
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

}  // namespace

void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is the one that is looked at: those below it are open.
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

}  // namespace lbsp::job::joining
