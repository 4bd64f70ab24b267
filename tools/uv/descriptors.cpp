#include "tools/uv/descriptors.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::uv {
namespace {

[[noreturn]] void no_descriptors() {
  throw SystemError(fmt::format("no pipe to a child process: {}: raise the limit of open files (ulimit -n)",
                                std::strerror(errno)));
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) no_descriptors();
  return ends;
}

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

DescriptorPair pipe_to_child() {
  const auto ends = make_pipe();
  return {Descriptor(ends[1]), Descriptor(ends[0])};
}

DescriptorPair pipe_from_child() {
  const auto ends = make_pipe();
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

DescriptorPair socket_to_child() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) no_descriptors();
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace lbsp::uv
