#include "transport/udp/driving/station_addresses.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace lbsp::transport {
namespace {

SocketAddress at_port(std::uint16_t port) {
  return *parse_ip_address("10.0.0.1", port);
}

TEST(StationAddresses, are_as_told_until_something_comes_from_elsewhere) {
  StationAddresses addresses({at_port(1), at_port(2)});
  EXPECT_FALSE(addresses.follow(1, at_port(2)));
  EXPECT_TRUE(addresses.follow(1, at_port(3)));
  EXPECT_FALSE(addresses.follow(1, at_port(3)));
  EXPECT_EQ(addresses.of(1), at_port(3));
  EXPECT_EQ(addresses.of(0), at_port(1));
}

TEST(StationAddresses, are_not_known_where_none_was_told_or_heard) {
  StationAddresses addresses({at_port(1), SocketAddress{}});
  EXPECT_TRUE(addresses.has(0));
  EXPECT_FALSE(addresses.has(1)) << "nobody has that slot";
  EXPECT_FALSE(addresses.has(2));
  EXPECT_TRUE(addresses.follow(1, at_port(2)));
  EXPECT_TRUE(addresses.has(1));
}

TEST(StationAddresses, of_new_processes_are_learnt_when_they_knock) {
  StationAddresses addresses({at_port(1)});
  EXPECT_TRUE(addresses.follow(4, at_port(5)));
  EXPECT_EQ(addresses.stations(), 5);
  EXPECT_TRUE(addresses.has(4));
  EXPECT_FALSE(addresses.has(3)) << "it has not been heard";
}

}  // namespace
}  // namespace lbsp::transport
