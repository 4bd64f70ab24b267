#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "transport/error.hpp"
#include "transport/udp/sockets/port.hpp"
#include "transport/udp/sockets/port_for_ranks.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::transport {
namespace {

using ::testing::HasSubstr;

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(UdpPort, any_free_port_is_known_after_binding) {
  const auto first = UdpPort::bind("127.0.0.1", 0);
  const auto second = UdpPort::bind("127.0.0.1", 0);
  EXPECT_NE(first.port(), 0);
  EXPECT_NE(first.port(), second.port());
  EXPECT_EQ(first.family(), AF_INET);
}

TEST(UdpPort, port_in_use_is_an_error_with_advice) {
  const auto first = UdpPort::bind("127.0.0.1", 0);
  EXPECT_EQ(error_of([&] { UdpPort::bind("127.0.0.1", first.port()); }),
            "UDP port " + std::to_string(first.port()) +
                " on 127.0.0.1 is in use: choose another --port, or leave it out");
  EXPECT_THROW(UdpPort::bind("127.0.0.1", first.port()), SystemError);
}

TEST(UdpPort, is_free_again_when_destroyed_or_overwritten) {
  auto first = UdpPort::bind("127.0.0.1", 0);
  const auto number = first.port();
  first = UdpPort::bind("127.0.0.1", 0);
  EXPECT_EQ(UdpPort::bind("127.0.0.1", number).port(), number);
}

TEST(UdpPort, refuses_what_is_no_address_of_this_host) {
  EXPECT_THAT(error_of([] { UdpPort::bind("nonsense", 0); }),
              HasSubstr("'nonsense' is not an IP address: write"));
  EXPECT_THAT(error_of([] { UdpPort::bind("", 0); }), HasSubstr("'' is not an IP address"));
  EXPECT_THAT(error_of([] { UdpPort::bind("192.0.2.1", 0); }),
              HasSubstr("no interface of this host has the address 192.0.2.1: give one"));
}

TEST(UdpPort, has_more_receive_buffer_than_the_default) {
  EXPECT_GT(UdpPort::bind("127.0.0.1", 0).receive_buffer_bytes(), 212992);
}

int option_of(const UdpPort& port, int level, int option) {
  int value = -1;
  socklen_t length = sizeof value;
  EXPECT_EQ(getsockopt(port.native_handle(), level, option, &value, &length), 0);
  return value;
}

TEST(UdpPort, never_fragments_for_peers_of_either_family) {
  EXPECT_EQ(option_of(UdpPort::bind("127.0.0.1", 0), IPPROTO_IP, IP_MTU_DISCOVER), IP_PMTUDISC_PROBE);
  const auto both = UdpPort::bind("::", 0);
  EXPECT_EQ(option_of(both, IPPROTO_IPV6, IPV6_MTU_DISCOVER), IPV6_PMTUDISC_PROBE);
  EXPECT_EQ(option_of(both, IPPROTO_IP, IP_MTU_DISCOVER), IP_PMTUDISC_PROBE) << "of IPv4 peers";
}

TEST(PeerAddress, is_written_with_brackets_for_ipv6) {
  EXPECT_EQ(to_string(PeerAddress{"10.0.0.3", 4000}), "10.0.0.3:4000");
  EXPECT_EQ(to_string(PeerAddress{"::1", 4000}), "[::1]:4000");
}

TEST(PeerAddress, ipv4_address_is_mapped_for_an_ipv6_socket) {
  EXPECT_EQ(resolve({"127.0.0.1", 4000}, AF_INET).storage.ss_family, AF_INET);
  EXPECT_EQ(resolve({"127.0.0.1", 4000}, AF_INET6).storage.ss_family, AF_INET6);
}

TEST(PeerAddress, without_an_address_of_the_family_is_an_error_that_names_the_host) {
  EXPECT_THAT(error_of([] { resolve({"::1", 4000}, AF_INET); }), HasSubstr("host '::1' has no IPv4 address"));
  EXPECT_THAT(error_of([] {
                resolve({"fe80::1%lbsp-none", 4000}, AF_INET6);
              }),
              HasSubstr("no interface of this host is called lbsp-none"));
}

/// Sends something with a header's first bytes to that rank, from a port of its own.
void send_to_rank(const std::string& address, std::uint16_t port, Rank rank) {
  const auto from = UdpPort::bind(address, 0);
  const auto to = *parse_ip_address(address, port);
  const std::array<unsigned char, 16> datagram = {0, 0, 0, static_cast<unsigned char>(rank & 255),
                                                  static_cast<unsigned char>(rank >> 8)};
  EXPECT_EQ(::sendto(from.native_handle(), datagram.data(), datagram.size(), 0, to.get(), to.length), 16);
}

/// The receiving ranks of what waits in the socket.
std::vector<Rank> ranks_waiting(const UdpPort& port) {
  std::vector<Rank> ranks;
  std::array<unsigned char, 64> datagram{};
  while (::recv(port.native_handle(), datagram.data(), datagram.size(), 0) == 16)
    ranks.push_back(datagram[3] + 256 * datagram[4]);
  return ranks;
}

TEST(PortForRanks, gives_each_rank_what_is_for_it) {
  constexpr Rank first = 254;  // both bytes of the rank count
  for (const char* address : {"127.0.0.1", "::1"}) {
    const auto ports = bind_for_ranks(address, 0, first, 4);
    ASSERT_EQ(ports.size(), 4U);
    for (int round = 0; round < 5; ++round) {
      for (Rank place = 0; place < 4; ++place)
        send_to_rank(address, ports.front().port(), first + place);
    }
    for (Rank place = 0; place < 4; ++place)
      EXPECT_EQ(ranks_waiting(ports[static_cast<std::size_t>(place)]), std::vector<Rank>(5, first + place));
  }
}

TEST(PortForRanks, takes_what_is_for_no_rank_of_this_host) {
  const auto ports = bind_for_ranks("127.0.0.1", 0, 10, 2);
  send_to_rank("127.0.0.1", ports.front().port(), 9);
  send_to_rank("127.0.0.1", ports.front().port(), 12);
  EXPECT_EQ(ranks_waiting(ports[0]).size() + ranks_waiting(ports[1]).size(), 2U);
}

TEST(PortForRanks, is_shared_with_nobody_else) {
  const auto ports = bind_for_ranks("127.0.0.1", 0, 0, 3);
  const auto number = ports.front().port();
  EXPECT_THAT(error_of([&] { bind_for_ranks("127.0.0.1", number, 0, 3); }), HasSubstr("is in use"));
  EXPECT_THAT(error_of([&] { UdpPort::bind("127.0.0.1", number); }), HasSubstr("is in use"));
}

TEST(PortForRanks, is_a_port_like_any_for_one_rank) {
  const auto ports = bind_for_ranks("127.0.0.1", 0, 7, 1);
  send_to_rank("127.0.0.1", ports.front().port(), 7);
  EXPECT_EQ(ranks_waiting(ports.front()), std::vector<Rank>{7});
  // Another program of the same user that may share ports would else get half of what comes.
  EXPECT_FALSE(is_shared(ports.front()));
}

TEST(UdpPort, is_the_same_where_its_socket_is_taken_over) {
  auto first = UdpPort::bind("::1", 0);
  const auto number = first.port();
  const auto taken = UdpPort::take(first.release());
  EXPECT_EQ(taken.port(), number);
  EXPECT_EQ(taken.family(), AF_INET6);
}

}  // namespace
}  // namespace lbsp::transport
