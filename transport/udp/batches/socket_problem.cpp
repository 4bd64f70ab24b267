#include "transport/udp/batches/socket_problem.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::transport {

void throw_if_unusable(int error) {
  if (error == EBADF || error == ENOTSOCK || error == EFAULT || error == EOPNOTSUPP) {
    throw SystemError(fmt::format("the UDP socket failed ({}): start the job again", std::strerror(error)));
  }
}

}  // namespace lbsp::transport
