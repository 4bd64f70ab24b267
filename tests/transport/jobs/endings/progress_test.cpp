#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"

/// Every wait has an end: who gets nothing new of what it waits for says so after the silent-peer limit,
/// whatever else arrives; and nobody is given up who has a reason to be late.
namespace lbsp::transport::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ExchangeOptions patient_for(Duration time) {
  ExchangeOptions options;
  options.peer_timeout = time;
  return options;
}

bool from_0_to_1(const Passing& passing) {
  return passing.header.source == 0 && passing.header.destination == 1;
}

TEST(Progress, a_message_that_stops_half_way_ends_the_job_with_what_is_missing) {
  ScriptedNetwork network(3, patient_for(5s));
  superstep(network, nothing);
  network.lose = [](const Passing& passing) {
    return is_data(passing) && from_0_to_1(passing) && passing.index > 3;
  };
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 100'000); });
  EXPECT_TRUE(network.run_until([&] { return network[1].failure() && network[0].failure(); }, 6s));
  for (const Rank rank : {0, 1}) {
    ASSERT_TRUE(network[rank].failure());
    EXPECT_EQ(network[rank].failure()->kind, Failure::Kind::peer_lost);
    EXPECT_EQ(network[rank].failure()->rank, 0);
    EXPECT_THAT(
        network[rank].failure()->message,
        AllOf(HasSubstr("rank 0 answers, but in superstep 1 of its message to rank 1 3 of 74 segments"),
              HasSubstr("of 100000 bytes) came, nothing new for 5.0 s: ")));
  }
}

TEST(Progress, a_failure_is_the_last_thing_that_happens) {
  ScriptedNetwork network(3, patient_for(5s));
  superstep(network, nothing);
  network.cut_off(0);
  network.begin_exchange(0, nothing);
  EXPECT_TRUE(network.run_until([&] { return network[0].failure().has_value(); }, 6s));
  const std::string message = network[0].failure()->message;
  network.run_for(1s);
  const int last_words = network.sent(DatagramKind::abort);
  EXPECT_EQ(last_words, 3 * 3 * 2) << "three from each to each: the others miss rank 0";
  EXPECT_EQ(network[0].next_timeout(), never);
  // A driver may call late, or for another reason.
  network[0].handle_timeout(network.now() + 1h);
  network.flush(0);
  network.run_for(1s);
  EXPECT_EQ(network[0].failure()->message, message);
  EXPECT_EQ(network.sent(DatagramKind::abort), last_words);
}

TEST(Progress, last_words_are_said_three_times_with_pauses) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  network.run_for(1s);
  network.lose = [](const Passing&) { return true; };
  network[0].abort("no more", network.now());
  network.flush(0);
  for (const auto& [pause, said] : {std::pair{4ms, 1}, {4ms, 2}, {11ms, 2}, {4ms, 3}}) {
    network.run_for(pause);
    EXPECT_EQ(network.sent(DatagramKind::abort), 2 * said);
  }
}

TEST(Progress, rounds_on_a_path_too_narrow_end_with_the_datagram_to_try) {
  for (const Recovery recovery : {Recovery::rounds, Recovery::whole_round}) {
    ExchangeOptions options = patient_for(5s);
    options.recovery = recovery;
    ScriptedNetwork network(2, options);
    superstep(network, nothing);
    network.lose = [](const Passing& passing) { return passing.bytes > 1300; };
    network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 10'000); });
    EXPECT_TRUE(network.run_until([&] { return network[0].failure() || network[1].failure(); }, 6s));
    const auto& failure = network[0].failure() ? network[0].failure() : network[1].failure();
    ASSERT_TRUE(failure);
    EXPECT_THAT(failure->message, HasSubstr("datagrams of 1400 bytes seem to be too large for the path: try "
                                            "--datagram 1232"));
  }
}

TEST(Progress, whole_rounds_that_never_have_one_segment_acknowledged_end) {
  ExchangeOptions options = patient_for(5s);
  options.recovery = Recovery::whole_round;
  ScriptedNetwork network(2, options);
  network.lose = [](const Passing& passing) {
    return passing.header.kind == DatagramKind::ack && passing.header.source == 1 && passing.index % 2 == 0;
  };
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, from == 0 ? 2000 : 0); });
  EXPECT_TRUE(network.run_until([&] { return network[0].failure().has_value(); }, 8s));
  ASSERT_TRUE(network[0].failure());
  EXPECT_THAT(network[0].failure()->message, HasSubstr("1 of 2 segments are acknowledged"));
}

/// A status of rank 1 to rank 0, which nobody lost.
std::vector<std::byte> status_of_rank_1(const JobKey& key, std::uint64_t packet, const StatusHeader& status) {
  std::vector<std::byte> datagram(clear_header_bytes + status_header_bytes + tag_bytes);
  WireWriter out(datagram);
  write(out, ClearHeader{DatagramKind::status, 1, 0, key.tag(), packet});
  write(out, status);
  DirectionKey(key, 1, 0, Cipher::chacha20_poly1305)
      .seal(packet, std::span(datagram).first(clear_header_bytes),
            std::span(datagram).subspan(clear_header_bytes));
  return datagram;
}

TEST(Progress, a_peer_beyond_the_leg_that_says_it_moves_is_given_up_in_rounds) {
  ExchangeOptions options = patient_for(5s);
  options.recovery = Recovery::rounds;
  ScriptedNetwork network(2, options);
  network.cut_off(1);
  network.begin_exchange(0, nothing);
  std::uint64_t packet = 0;
  while (!network[0].failure() && packet < 60) {
    StatusHeader status;
    status.position = {0, Leg::replies};
    status.begun = status.moving = true;
    auto datagram = status_of_rank_1(network.key(), packet++, status);
    network[0].handle_datagram(datagram, network.now());
    network.run_for(100ms);
  }
  EXPECT_TRUE(network[0].failure());
}

TEST(Progress, ranks_that_slept_do_not_take_their_sleep_for_a_round_trip) {
  for (const Recovery recovery : {Recovery::receiver, Recovery::rounds, Recovery::whole_round}) {
    ExchangeOptions options = patient_for(15s);
    options.recovery = recovery;
    ScriptedNetwork network(2, options);
    network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 2000); });
    network.sleep(20s);
    EXPECT_TRUE(network.run_exchange(1s));
    EXPECT_LT(network[0].network().round_trip_time, 1s);
  }
}

TEST(Progress, a_dead_peer_is_named_with_what_came_of_its_message) {
  ScriptedNetwork network(2, patient_for(5s));
  superstep(network, nothing);
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 10'000'000); });
  network.run_for(30ms);
  network.cut_off(0);
  EXPECT_TRUE(network.run_until([&] { return network[1].failure().has_value(); }, 6s));
  EXPECT_THAT(network[1].failure()->message,
              HasSubstr("rank 0 was last heard 5.0 s ago, in superstep 1; of its "
                        "message to rank 1 "));
  EXPECT_THAT(network[1].failure()->message, HasSubstr(" of 7413 segments"));
}

TEST(Progress, a_program_may_compute_for_an_hour_while_all_others_wait) {
  ScriptedNetwork network(3, patient_for(2s));
  superstep(network, nothing);
  network.begin_exchange(0, nothing);
  network.begin_exchange(1, nothing);
  network.run_for(1h);
  for (const Rank rank : {0, 1, 2})
    EXPECT_FALSE(network[rank].failure());
  network.begin_exchange(2, nothing);
  EXPECT_TRUE(network.run_exchange());
}

/// Five messages at 100 kbit/s: of each, a segment goes every 560 ms.
TEST(Progress, a_slow_rank_is_waited_for_while_it_gets_on) {
  for (const Recovery recovery : {Recovery::receiver, Recovery::rounds}) {
    ExchangeOptions options = patient_for(400ms);
    options.recovery = recovery;
    options.rate = megabits_per_second(0.1);
    ScriptedNetwork network(6, options);
    network.begin_exchange([](Rank from, Rank) { return Bytes(from == 0 ? 8'000 : 0); });
    EXPECT_TRUE(network.run_exchange(10min));
    EXPECT_FALSE(network[1].failure()) << network[1].failure()->message;
  }
}

TEST(Progress, a_round_longer_than_the_limit_is_waited_for) {
  ExchangeOptions options = patient_for(1s);
  options.recovery = Recovery::rounds;
  options.rate = megabits_per_second(0.1);
  ScriptedNetwork network(2, options);
  network.lose = [](const Passing& passing) { return is_data(passing) && passing.index == 0; };
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 40'000); });
  EXPECT_TRUE(network.run_exchange(1min));
}

}  // namespace
}  // namespace lbsp::transport::testing
