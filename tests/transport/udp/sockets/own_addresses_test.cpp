#include "transport/udp/sockets/own_addresses.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace lbsp::transport {
namespace {

OwnAddress in_network_of_24_bits() {
  return {.text = "192.0.2.7", .family = AF_INET, .bytes = {192, 0, 2, 7}, .mask = {255, 255, 255, 0}};
}

TEST(OwnAddresses, are_near_those_of_their_network) {
  const OwnAddress own = in_network_of_24_bits();
  EXPECT_TRUE(own.is_near("192.0.2.200"));
  EXPECT_FALSE(own.is_near("192.0.3.7"));
  EXPECT_FALSE(own.is_near("2001:db8::7"));
  EXPECT_FALSE(own.is_near("no address"));
}

TEST(OwnAddresses, a_host_of_several_is_reached_in_a_common_network) {
  const std::vector<OwnAddress> own = {in_network_of_24_bits()};
  EXPECT_EQ(address_to_reach({"10.0.0.1", "192.0.2.9"}, own), "192.0.2.9");
  EXPECT_EQ(address_to_reach({"10.0.0.1", "198.51.100.9"}, own), "10.0.0.1");
  EXPECT_EQ(address_to_reach({}, own), "");
}

TEST(OwnAddresses, have_no_loopback_and_one_family) {
  for (const OwnAddress& address : own_addresses()) {
    EXPECT_NE(address.text.substr(0, 4), "127.");
    EXPECT_NE(address.text, "::1");
    EXPECT_EQ(address.family, own_addresses().front().family);
    EXPECT_TRUE(address.is_near(address.text));
  }
}

}  // namespace
}  // namespace lbsp::transport
