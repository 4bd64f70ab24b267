#include "transport/udp/batches/socket_problem.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

[[noreturn]] void throw_closed() {
  throw SystemError(
      "the program has closed the job's UDP socket: let it close only what it has opened itself");
}

/// 0: it is closed, or no socket.
ino_t number_of_socket(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

}  // namespace

void throw_if_unusable(int error) {
  if (error == EBADF || error == ENOTSOCK) throw_closed();
  if (error == EFAULT || error == EOPNOTSUPP) {
    throw SystemError(fmt::format("the UDP socket failed ({}): start the job again", std::strerror(error)));
  }
}

WatchedSocket::WatchedSocket(int socket) : socket_(socket), number_(number_of_socket(socket)) {}

void WatchedSocket::throw_if_closed() const {
  if (number_ == 0 || number_of_socket(socket_) != number_) throw_closed();
}

}  // namespace lbsp::transport
