#include "tools/wan/bed/net_namespace.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/socket.h>

#include "transport/error.hpp"

namespace lbsp::wan::bed {
namespace {

#ifndef SO_NETNS_COOKIE
constexpr int SO_NETNS_COOKIE = 71;  // asm-generic/socket.h
#endif

[[noreturn]] void fail(const char* what, const char* remedy) {
  throw SystemError(fmt::format("{}: {}: {}", what, std::strerror(errno), remedy));
}

}  // namespace

uv::Descriptor current_net_namespace() {
  uv::Descriptor descriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0)
    fail("/proc/thread-self/ns/net", "mount /proc, and use a kernel with network namespaces");
  return descriptor;
}

uv::Descriptor new_net_namespace() {
  if (::unshare(CLONE_NEWNET) != 0) {
    fail("the system gives no network namespace",
         "run as root with CAP_SYS_ADMIN, on a kernel with CONFIG_NET_NS");
  }
  return current_net_namespace();
}

void enter_net_namespace(int descriptor) {
  if (::setns(descriptor, CLONE_NEWNET) != 0)
    fail("cannot enter a network namespace", "run as root with CAP_SYS_ADMIN");
}

std::uint64_t net_namespace_cookie() {
  const uv::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  std::uint64_t cookie = 0;
  socklen_t length = sizeof cookie;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &length) != 0) {
    fail("the system does not number its network namespaces", "use Linux 5.14 or newer");
  }
  return cookie;
}

}  // namespace lbsp::wan::bed
