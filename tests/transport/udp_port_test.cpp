#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "transport/error.hpp"
#include "transport/udp/port.hpp"
#include "transport/udp/socket_address.hpp"

namespace lbsp::transport {
namespace {

using testing::HasSubstr;

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
              HasSubstr("192.0.2.1 is no address of this host"));
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
}

}  // namespace
}  // namespace lbsp::transport
