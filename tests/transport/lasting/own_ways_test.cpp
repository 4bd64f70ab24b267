#include "transport/lasting/own_ways.hpp"

#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/room_state.hpp"
#include "tests/transport/start.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

constexpr std::size_t usual_of_ways = 1400;

/// Of rank 0 among so many.
EndpointConfig config_of_ways(Rank size) {
  EndpointConfig config;
  config.size = size;
  config.options.datagram_bytes = usual_of_ways;
  config.options.find_datagram = false;
  return config;
}
Endpoint endpoint_of_ways(Rank size) {
  return Endpoint(config_of_ways(size), start);
}

/// Of slot 0 among four, in the epoch of all of them and in the one without slot 1, where slot 2 is rank 1.
struct WaysOfEpochs {
  WaysOfEpochs() {
    names.enter(MemberSet::first(4));
    ways.begin_epoch(first, 0, start);
  }
  void lose_slot_1() {
    names.enter({0, 2, 3});
    ways.begin_epoch(second, 0, start);
  }

  Callers callers{{}, 0, 4, Cipher::chacha20_poly1305};
  ProcessNames names{&callers};
  Endpoint first = endpoint_of_ways(4);
  Endpoint second = endpoint_of_ways(3);
  OwnWays ways{names, 4, usual_of_ways};
};

TEST(OwnWays, that_carry_less_do_so_in_later_epochs_too) {
  WaysOfEpochs of;
  of.ways.limit_datagrams(2, 700, start);
  EXPECT_EQ(of.first.routes().datagram_bytes(2), 700U);
  EXPECT_EQ(of.first.routes().datagram_bytes(3), usual_of_ways);
  of.lose_slot_1();
  EXPECT_EQ(of.second.routes().datagram_bytes(1), 700U);
  EXPECT_EQ(of.ways.datagram_bytes(2), 700U);
  EXPECT_EQ(of.ways.datagram_bytes(3), usual_of_ways);
}

TEST(OwnWays, to_who_is_no_member_are_known_for_the_epoch_in_which_it_is_one) {
  WaysOfEpochs of;
  of.ways.limit_route(9, 700);
  EXPECT_EQ(of.ways.datagram_bytes(9), 700U);
  EXPECT_EQ(of.ways.stations(), 10U);
  EXPECT_EQ(of.ways.datagram_bytes(8), usual_of_ways);
}

TEST(OwnWays, are_as_many_as_an_epoch_has_processes) {
  WaysOfEpochs of;
  OwnWays fewer(of.names, 2, usual_of_ways);
  fewer.begin_epoch(of.first, 0, start);
  EXPECT_EQ(fewer.stations(), 4U);
}

TEST(OwnWays, are_forgotten_with_the_process_at_their_end) {
  WaysOfEpochs of;
  of.ways.limit_datagrams(3, 700, start);
  of.ways.note_host_refusal(3, EPERM, start);
  of.ways.forget({3});
  EXPECT_EQ(of.ways.refusal(), HostRefusal{});
  of.lose_slot_1();
  EXPECT_EQ(of.second.routes().datagram_bytes(2), usual_of_ways);
}

/// Who has no rank in this epoch cannot be asked.
TEST(OwnWays, are_asked_about_and_confirmed_by_station) {
  WaysOfEpochs of;
  of.lose_slot_1();
  EXPECT_FALSE(of.ways.ask_address(1, {}, start));
  EXPECT_FALSE(of.second.addresses().ready());
  const auto number = of.ways.ask_address(2, {}, start);
  ASSERT_TRUE(number);
  EXPECT_TRUE(of.second.addresses().ready());
  EXPECT_EQ(of.ways.take_address_answers(), std::vector<AddressAnswer>{}) << "it has not answered";
  const EndpointConfig config = config_of_ways(3);
  const ClearHeader header{.kind = DatagramKind::address, .source = 1, .job_tag = config.key.tag()};
  Bytes answer = testing::sealed(config, header, [&](WireWriter& out) {
    write(out, AddressHeader{true, *number});
  });
  of.second.handle_datagram(answer, start);
  EXPECT_EQ(of.ways.take_address_answers(), (std::vector<AddressAnswer>{{2, number}}))
      << "rank 1 of this epoch";
}

TEST(OwnWays, of_who_has_knocked_are_told_once) {
  WaysOfEpochs of;
  of.ways.note_knock(5);
  of.ways.note_knock(2);
  EXPECT_EQ(of.ways.take_address_answers(), (std::vector<AddressAnswer>{{5}, {2}}));
  EXPECT_EQ(of.ways.take_address_answers(), std::vector<AddressAnswer>{});
}

TEST(OwnWays, that_the_host_refuses_are_those_of_this_epochs_members) {
  WaysOfEpochs of;
  of.ways.note_host_refusal(1, EPERM, start);
  of.ways.note_host_refusal(2, EACCES, start);
  EXPECT_EQ(of.ways.refusal(), (HostRefusal{.to = {1, 2}, .error = EPERM}));
  of.lose_slot_1();
  EXPECT_EQ(of.ways.refusal(), (HostRefusal{.to = {2}, .error = EACCES}));
  of.ways.note_host_refusal(2, 0, start);
  EXPECT_EQ(of.ways.refusal(), HostRefusal{});
}

}  // namespace
}  // namespace lbsp::transport
