#include "transport/lasting/own_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;

EndpointConfig config_of_world(Slot slot) {
  EndpointConfig config;
  config.rank = slot;
  config.size = 3;
  config.options.outlives_ranks = true;
  return config;
}

/// A process of three that is in their first world.
struct WhoHasAWorld {
  explicit WhoHasAWorld(Slot slot)
      : membership(config_of_world(slot)), world(config_of_world(slot), {}, &membership) {
    world.enter({.epoch = 0, .key = world.job().key, .before = {}, .value = {.members = MemberSet::first(3)}},
                start);
  }
  void lose_slot_1() { world.enter(world.end(0, MemberSet::first(3), {.members = {0, 2}}), start); }
  void begin_leg() {
    world.endpoint().begin_exchange(std::vector<Bytes>(static_cast<std::size_t>(world.size()), Bytes(10)),
                                    start);
  }
  /// The first datagram that is to be sent now to that station; nothing if there is none.
  std::vector<std::byte> datagram_to(Station station) {
    std::vector<std::byte> buffer(ExchangeOptions{}.datagram_bytes);
    while (const auto transmit = world.poll_transmit(buffer, start)) {
      if (transmit->to != station) continue;
      buffer.resize(transmit->bytes);
      return buffer;
    }
    return {};
  }
  OwnWorld::Taken take(std::vector<std::byte> datagram) {
    const auto header = read_clear_header(datagram);
    return world.take(datagram, *header, start);
  }

  Membership membership;
  OwnWorld world;
};

TEST(OwnWorld, names_slots_to_the_network_and_ranks_to_its_endpoint) {
  WhoHasAWorld of(0);
  WhoHasAWorld other(2);
  of.lose_slot_1();
  other.lose_slot_1();
  EXPECT_EQ(other.world.rank(), 1);
  EXPECT_EQ(other.world.size(), 2);
  EXPECT_THAT(other.world.slots(), ElementsAre(0, 2));

  other.begin_leg();
  EXPECT_THAT(other.world.awaited(), ElementsAre(0));
  const auto datagram = other.datagram_to(0);
  const auto header = read_clear_header(datagram);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->source, 2);
  EXPECT_EQ(header->destination, 0);

  of.begin_leg();
  EXPECT_THAT(of.world.awaited(), ElementsAre(2));
  const auto taken = of.take(datagram);
  EXPECT_EQ(taken.from, 1);
  EXPECT_EQ(taken.heard_from, HeardFrom{2});
}

TEST(OwnWorld, does_not_take_what_is_not_authentic) {
  WhoHasAWorld of(0);
  WhoHasAWorld other(2);
  other.begin_leg();
  auto datagram = other.datagram_to(0);
  ASSERT_FALSE(datagram.empty());
  datagram.back() ^= std::byte{1};
  const auto taken = of.take(datagram);
  EXPECT_FALSE(taken.from);
  EXPECT_FALSE(taken.heard_from);
  EXPECT_EQ(of.world.counters().datagrams_received, 0U);
}

TEST(OwnWorld, counts_what_earlier_worlds_have_sent_and_lost_too) {
  WhoHasAWorld of(0);
  of.begin_leg();
  while (!of.datagram_to(1).empty()) {
  }
  of.world.note_overflowed(5);
  const TrafficCounters before = of.world.counters();
  ASSERT_GT(before.datagrams_sent, 0U);
  of.lose_slot_1();
  EXPECT_EQ(of.world.counters(), before);
  of.world.note_overflowed(7);
  EXPECT_EQ(of.world.counters().datagrams_overflowed, 7U);
}

TEST(OwnWorld, of_a_job_that_ends_with_any_of_its_ranks_has_their_ranks_as_slots) {
  EndpointConfig config = config_of_world(2);
  config.options.outlives_ranks = false;
  OwnWorld world(config, {}, nullptr);
  world.enter_only(start);
  EXPECT_EQ(world.rank(), 2);
  EXPECT_THAT(world.slots(), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace lbsp::transport
