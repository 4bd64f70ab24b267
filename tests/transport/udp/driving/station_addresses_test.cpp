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
  EXPECT_EQ(addresses.of(1, Whereto::asked), at_port(2));
  addresses.asked(1, 7, at_port(3));
  EXPECT_EQ(addresses.heard(1, at_port(3)), From::asked);
  EXPECT_EQ(addresses.of(1), at_port(2));
  EXPECT_EQ(addresses.of(1, Whereto::asked), at_port(3));
  EXPECT_FALSE(addresses.move(1, 6)) << "that was not asked";
  EXPECT_TRUE(addresses.move(1, 7));
  EXPECT_EQ(addresses.of(1), at_port(3));
  EXPECT_EQ(addresses.of(0), at_port(1));
  EXPECT_EQ(addresses.heard(1, at_port(3)), From::known);
  EXPECT_FALSE(addresses.move(1, 7)) << "nothing was asked since";
}

/// Copies come from ever other places while the answer is on its way.
TEST(StationAddresses, of_who_is_asked_at_several_are_where_it_answers) {
  StationAddresses addresses({at_port(1)});
  for (std::uint16_t question = 1; question <= 16; ++question) {
    const SocketAddress there = at_port(static_cast<std::uint16_t>(question + 1));
    EXPECT_EQ(addresses.heard(0, there), From::elsewhere);
    addresses.asked(0, question, there);
    EXPECT_EQ(addresses.of(0, Whereto::asked), there);
  }
  EXPECT_TRUE(addresses.move(0, 3));
  EXPECT_EQ(addresses.of(0), at_port(4));
}

TEST(StationAddresses, remember_the_last_sixteen_questions) {
  StationAddresses addresses({at_port(1)});
  for (std::uint16_t question = 1; question <= 17; ++question)
    addresses.asked(0, question, at_port(static_cast<std::uint16_t>(question + 1)));
  EXPECT_FALSE(addresses.move(0, 1));
  EXPECT_TRUE(addresses.move(0, 2));
}

/// Whoever repeats datagrams from ever other addresses hardly comes back to one.
TEST(StationAddresses, tell_from_where_several_of_the_last_datagrams_came) {
  StationAddresses addresses({at_port(1)});
  const auto repeats = [&](std::uint16_t port, bool copy = false) {
    addresses.heard(0, at_port(port), copy);
    return addresses.repeated(0);
  };
  EXPECT_FALSE(repeats(2));
  EXPECT_TRUE(repeats(2));
  EXPECT_FALSE(repeats(2, true)) << "copies are counted by themselves";
  for (std::uint16_t port = 3; port < 7; ++port)
    EXPECT_FALSE(repeats(port));
  EXPECT_FALSE(repeats(2)) << "four others came since";
  EXPECT_TRUE(repeats(2, true));
}

/// Each epoch counts its questions anew.
TEST(StationAddresses, forget_the_questions_of_an_earlier_epoch) {
  StationAddresses addresses({at_port(1)});
  addresses.asked(0, 8, at_port(2));
  addresses.asked(0, 9, at_port(3));
  addresses.asked(0, 1, at_port(4));
  EXPECT_FALSE(addresses.move(0, 9));
  EXPECT_TRUE(addresses.move(0, 1));
  EXPECT_EQ(addresses.of(0), at_port(4));
}

/// A question may be on its way then.
TEST(StationAddresses, stay_as_they_are_where_the_newest_datagram_came_from_there_meanwhile) {
  StationAddresses addresses({at_port(1)});
  addresses.heard(0, at_port(2));
  addresses.asked(0, 1, at_port(2));
  EXPECT_EQ(addresses.heard(0, at_port(1)), From::known_again);
  EXPECT_EQ(addresses.of(0, Whereto::asked), at_port(1));
  EXPECT_FALSE(addresses.move(0, 1));
  EXPECT_EQ(addresses.of(0), at_port(1));
  EXPECT_EQ(addresses.heard(0, at_port(2)), From::elsewhere) << "it is asked anew";
}

/// Whoever repeats old datagrams from where the rank was would keep it from being found.
TEST(StationAddresses, change_although_copies_come_from_where_it_was) {
  StationAddresses addresses({at_port(1)});
  addresses.heard(0, at_port(2));
  addresses.asked(0, 1, at_port(2));
  EXPECT_EQ(addresses.heard(0, at_port(1), true), From::known);
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(2));
  EXPECT_TRUE(addresses.move(0, 1));
  EXPECT_EQ(addresses.of(0), at_port(2));
}

/// Whoever asks is answered there.
TEST(StationAddresses, say_where_the_newest_datagram_came_from) {
  StationAddresses addresses({at_port(1)});
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(1));
  addresses.heard(0, at_port(2));
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(2));
  addresses.heard(0, at_port(3), true);
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(2)) << "a copy is not new";
  addresses.heard(0, at_port(1));
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(1));
  addresses.heard(0, at_port(2));
  addresses.asked(0, 1, at_port(2));
  addresses.move(0, 1);
  EXPECT_EQ(addresses.of(0, Whereto::newest), at_port(2));
}

TEST(StationAddresses, are_where_the_newest_datagram_came_from_if_that_shows_it) {
  StationAddresses addresses({at_port(1)});
  EXPECT_FALSE(addresses.move_to_newest(0));
  addresses.heard(0, at_port(2));
  EXPECT_TRUE(addresses.move_to_newest(0));
  EXPECT_EQ(addresses.of(0), at_port(2));
  EXPECT_FALSE(addresses.move_to_newest(0));
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
