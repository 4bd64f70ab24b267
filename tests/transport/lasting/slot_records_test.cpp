#include "transport/lasting/slot_records.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using Hosts = std::vector<std::uint16_t>;
using Places = std::vector<std::string>;

PathForecast path_of(Duration round_trip, double loss_sample = 100) {
  PathForecast path = default_prior();
  path.round_trip = round_trip;
  path.loss_sample = loss_sample;
  return path;
}

/// Three slots on as many hosts.
struct KnownSlots {
  KnownSlots() {
    first.places = {"at a", "at b", "at c"};
    first.hosts = {0, 1, 2};
    first.priors = {default_prior(), path_of(20ms), path_of(30ms)};
  }

  EndpointConfig told(const std::vector<Slot>& slots) {
    EndpointConfig config;
    records.tell(config, slots);
    return config;
  }

  EndpointConfig first;
  SlotRecords records;
};

TEST(SlotRecords, tell_an_epoch_of_its_ranks_what_is_known_of_their_slots) {
  KnownSlots known;
  known.records = SlotRecords(known.first);
  const EndpointConfig told = known.told({0, 2});
  EXPECT_EQ(told.places, (Places{"at a", "at c"}));
  EXPECT_EQ(told.hosts, (Hosts{0, 2}));
  ASSERT_EQ(told.priors.size(), 2U);
  EXPECT_EQ(told.priors[1].round_trip, 30ms);
}

TEST(SlotRecords, say_of_a_slot_that_was_not_there_at_first_that_it_has_a_host_of_its_own) {
  KnownSlots known;
  known.records = SlotRecords(known.first);
  const EndpointConfig told = known.told({1, 7});
  EXPECT_EQ(told.places, (Places{"at b", "on a host that has joined"}));
  EXPECT_EQ(told.hosts, (Hosts{1, 0xffff}));
  EXPECT_EQ(told.priors[1].round_trip, 0ms);
}

TEST(SlotRecords, say_nothing_of_any_where_nothing_was_said_at_first) {
  KnownSlots known;
  const EndpointConfig told = known.told({0, 1});
  EXPECT_TRUE(told.places.empty());
  EXPECT_TRUE(told.hosts.empty());
  EXPECT_TRUE(told.priors.empty());
}

TEST(SlotRecords, forget_the_way_to_whom_a_process_on_another_host_succeeds) {
  KnownSlots known;
  known.records = SlotRecords(known.first);
  known.records.seat({.slot = 1, .spare = 5, .incarnation = {}});
  const EndpointConfig told = known.told({0, 1, 2});
  EXPECT_EQ(told.places, (Places{"at a", "on a spare host", "at c"}));
  EXPECT_EQ(told.hosts, (Hosts{0, 5, 2}));
  EXPECT_EQ(told.priors[1].round_trip, 0ms);
  EXPECT_EQ(told.priors[2].round_trip, 30ms);
}

TEST(SlotRecords, know_the_way_to_whom_a_process_on_the_same_host_succeeds) {
  KnownSlots known;
  known.records = SlotRecords(known.first);
  known.records.seat({.slot = 1, .spare = 1, .incarnation = {}});
  const EndpointConfig told = known.told({1});
  EXPECT_EQ(told.places, (Places{"at b"}));
  EXPECT_EQ(told.priors[0].round_trip, 20ms);
}

TEST(SlotRecords, have_the_host_of_a_process_that_has_joined) {
  KnownSlots known;
  known.records = SlotRecords(known.first);
  known.records.seat({.slot = 4, .spare = 9, .incarnation = {}});
  EXPECT_EQ(known.records.hosts().size(), 5U);
  EXPECT_EQ(known.records.hosts()[4], 9);
}

TEST(SlotRecords, let_what_a_path_has_shown_weigh_no_more_than_so_many_datagrams) {
  KnownSlots known;
  known.records = SlotRecords(known.first);
  known.records.have_room(5);
  known.records.remember(4, path_of(70ms, 1e6));
  known.records.remember(1, path_of(25ms, 10));
  const EndpointConfig told = known.told({1, 4});
  EXPECT_EQ(told.priors[0].round_trip, 25ms);
  EXPECT_EQ(told.priors[0].loss_sample, 10);
  EXPECT_EQ(told.priors[1].loss_sample, 1000);
}

TEST(SlotRecords, know_the_longest_round_trip_or_take_the_usual_one) {
  KnownSlots known;
  EXPECT_EQ(known.records.longest_round_trip(), 100ms);
  known.records = SlotRecords(known.first);
  EXPECT_EQ(known.records.longest_round_trip(), 30ms);
  known.records.forget_path(2);
  EXPECT_EQ(known.records.longest_round_trip(), 20ms);
}

}  // namespace
}  // namespace lbsp::transport
