#include "transport/udp/driving/station_addresses.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace lbsp::transport {
namespace {

SocketAddress at_port(std::uint16_t port) {
  return *parse_ip_address("10.0.0.1", port);
}

using From = StationAddresses::From;

TEST(StationAddresses, are_as_told_until_who_is_heard_elsewhere_has_answered_there) {
  StationAddresses addresses({at_port(1), at_port(2)});
  EXPECT_EQ(addresses.heard(1, at_port(2)), From::known);
  EXPECT_EQ(addresses.heard(1, at_port(3)), From::elsewhere);
  EXPECT_EQ(addresses.heard(1, at_port(3)), From::asked);
  EXPECT_EQ(addresses.of(1), at_port(2));
  EXPECT_EQ(addresses.of(1, Whereto::asked), at_port(3));
  EXPECT_TRUE(addresses.move(1));
  EXPECT_EQ(addresses.of(1), at_port(3));
  EXPECT_EQ(addresses.of(0), at_port(1));
  EXPECT_EQ(addresses.heard(1, at_port(3)), From::known);
  EXPECT_FALSE(addresses.move(1)) << "nothing was asked since";
}

/// What was asked first does not count for where it is heard now.
TEST(StationAddresses, are_asked_anew_of_each_new_place) {
  StationAddresses addresses({at_port(1)});
  addresses.heard(0, at_port(2));
  EXPECT_EQ(addresses.heard(0, at_port(3)), From::elsewhere);
  EXPECT_EQ(addresses.of(0, Whereto::asked), at_port(3));
}

/// A question may be on its way then.
TEST(StationAddresses, stay_as_they_are_where_the_newest_datagram_came_from_there) {
  StationAddresses addresses({at_port(1)});
  addresses.heard(0, at_port(2));
  EXPECT_EQ(addresses.heard(0, at_port(1)), From::known);
  EXPECT_EQ(addresses.of(0, Whereto::asked), at_port(1));
  EXPECT_FALSE(addresses.move(0));
  EXPECT_EQ(addresses.of(0), at_port(1));
  EXPECT_EQ(addresses.heard(0, at_port(2)), From::elsewhere) << "it is asked anew";
}

/// Whoever asks is answered there.
TEST(StationAddresses, say_where_the_newest_datagram_came_from) {
  StationAddresses addresses({at_port(1)});
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(1));
  addresses.heard(0, at_port(2));
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(2));
  addresses.heard(0, at_port(1));
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(1));
  addresses.heard(0, at_port(2));
  addresses.move(0);
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(2));
}

TEST(StationAddresses, are_not_known_where_none_was_told_or_heard) {
  StationAddresses addresses({at_port(1), SocketAddress{}});
  EXPECT_TRUE(addresses.has(0));
  EXPECT_FALSE(addresses.has(1)) << "nobody has that slot";
  EXPECT_FALSE(addresses.has(2));
  EXPECT_EQ(addresses.heard(1, at_port(2)), From::first);
  EXPECT_TRUE(addresses.has(1));
}

TEST(StationAddresses, of_new_processes_are_learnt_when_they_knock) {
  StationAddresses addresses({at_port(1)});
  EXPECT_EQ(addresses.heard(4, at_port(5)), From::first);
  EXPECT_EQ(addresses.stations(), 5);
  EXPECT_TRUE(addresses.has(4));
  EXPECT_FALSE(addresses.has(3)) << "it has not been heard";
}

}  // namespace
}  // namespace lbsp::transport
