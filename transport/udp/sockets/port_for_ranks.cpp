#include "transport/udp/sockets/port_for_ranks.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/filter.h>
#include <sys/socket.h>

#include "transport/error.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

void allow_others(int socket) {
  const int yes = 1;
  if (setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0)
    throw SystemError(fmt::format("ranks of one host cannot share a UDP port here ({}): leave out --port",
                                  std::strerror(errno)));
}

/// The filter's value is the place of the socket that gets the datagram. One that is too short for a header, or for
/// another host's rank, goes to whichever socket, which drops it.
void divide_by_rank(int socket, Rank first) {
  const auto statement = [](int code, std::size_t value) {
    return sock_filter{static_cast<std::uint16_t>(code), 0, 0, static_cast<std::uint32_t>(value)};
  };
  std::array program = {
      statement(BPF_LD | BPF_B | BPF_ABS, destination_offset),
      statement(BPF_MISC | BPF_TAX, 0),
      statement(BPF_LD | BPF_B | BPF_ABS, destination_offset + 1),
      statement(BPF_ALU | BPF_LSH | BPF_K, 8),
      statement(BPF_ALU | BPF_OR | BPF_X, 0),
      statement(BPF_ALU | BPF_SUB | BPF_K, static_cast<std::size_t>(first)),
      statement(BPF_RET | BPF_A, 0),
  };
  const sock_fprog filter{static_cast<std::uint16_t>(program.size()), program.data()};
  if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &filter, sizeof filter) != 0)
    throw SystemError(fmt::format("ranks of one host cannot share a UDP port here ({}): leave out --port",
                                  std::strerror(errno)));
}

}  // namespace

std::vector<UdpPort> bind_for_ranks(const std::string& address, std::uint16_t port, Rank first, Rank count) {
  std::vector<UdpPort> ports;
  for (Rank place = 0; place < count; ++place) {
    UdpPort socket = UdpPort::open(address, UdpPort::usual_buffer_bytes);
    // The first is bound as one that shares its port with nobody, so that another job's port is not joined.
    if (place > 0) allow_others(socket.native_handle());
    socket.bind_to(address, place == 0 ? port : ports.front().port());
    if (place == 0 && count > 1) allow_others(socket.native_handle());
    ports.push_back(std::move(socket));
  }
  if (count > 1) divide_by_rank(ports.front().native_handle(), first);
  return ports;
}

bool is_shared(const UdpPort& port) {
  int value = 0;
  socklen_t length = sizeof value;
  return getsockopt(port.native_handle(), SOL_SOCKET, SO_REUSEPORT, &value, &length) == 0 && value != 0;
}

}  // namespace lbsp::transport
