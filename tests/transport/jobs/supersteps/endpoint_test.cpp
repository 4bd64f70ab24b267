#include "transport/core/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "transport/error.hpp"

namespace lbsp::transport::testing {
namespace {

TEST(Endpoint, an_empty_superstep_takes_one_one_way_delay_and_one_datagram_per_pair) {
  ScriptedNetwork network(5, {});
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(superstep(network, nothing), 10ms);
  EXPECT_EQ(network.sent(DatagramKind::data), 10 * 5 * 4);
  EXPECT_EQ(network.sent(DatagramKind::status), 0) << "data of the next superstep acknowledges the last";
}

TEST(Endpoint, a_message_of_many_segments_arrives_whole) {
  ScriptedNetwork network(3, {});
  superstep(network, [](Rank from, Rank to) { return patterned(from, to, 300'000); });
  EXPECT_EQ(network[0].counters().segments_resent, 0u);
}

TEST(Endpoint, takes_serialisation_at_the_configured_rate_and_not_more) {
  ExchangeOptions options;
  options.rate = megabits_per_second(100);
  ScriptedNetwork network(2, options);
  superstep(network, nothing);
  const Duration took = superstep(network, [](Rank from, Rank to) { return patterned(from, to, 1'250'000); });
  EXPECT_NEAR(milliseconds(took), 10 + 100 * 1400.0 / 1354, 2.0);
}

TEST(Endpoint, a_lost_single_segment_is_sent_again_after_little_more_than_a_round_trip) {
  ScriptedNetwork network(2, {});
  for (int i = 0; i < 20; ++i)
    superstep(network, nothing);
  network.lose = [](const Passing& passing) { return is_data(passing) && passing.index == 20; };
  EXPECT_LT(milliseconds(superstep(network, nothing)), 20 * 1.5 + 10);
}

TEST(Endpoint, a_stream_from_a_peer_does_not_put_off_the_probe_for_what_it_lacks) {
  ExchangeOptions options;
  options.rate = megabits_per_second(10);
  ScriptedNetwork network(2, options);
  for (int i = 0; i < 20; ++i)
    superstep(network, nothing);
  // Rank 1 sends for 85 ms. Nothing but a probe can tell it that rank 0's one segment was lost.
  network.lose = [](const Passing& passing) {
    return passing.header.source == 0 && (!is_data(passing) || passing.index == 20);
  };
  const Instant begin = network.now();
  network.begin_exchange(
      [](Rank from, Rank to) { return from == 1 ? patterned(from, to, 100'000) : Bytes{}; });
  EXPECT_TRUE(network.run_until([&] { return network[1].exchange_complete(); }, 10s));
  // Its first datagram, which acknowledges the last superstep, starts the probe timeout of 24.5 ms anew.
  EXPECT_LT(milliseconds(network.now() - begin), 10 + 24.5 + 10 + 1);
}

TEST(Endpoint, a_gap_is_reported_and_repaired_without_a_timeout) {
  ScriptedNetwork network(2, {});
  for (int i = 0; i < 20; ++i)
    superstep(network, nothing);
  network.lose = [](const Passing& passing) {
    return is_data(passing) && passing.header.source == 0 && passing.index == 23;
  };
  const auto message = [](Rank from, Rank to) { return patterned(from, to, 20'000); };
  // One way there, one back with the report, one again with the repair, and the reordering tolerance.
  EXPECT_LT(milliseconds(superstep(network, message)), 30 + 4);
  EXPECT_EQ(network[0].counters().segments_resent, 2u);
}

TEST(Endpoint, reports_all_gaps_at_once) {
  ScriptedNetwork network(2, {});
  for (int i = 0; i < 20; ++i)
    superstep(network, nothing);
  network.lose = [](const Passing& passing) {
    return is_data(passing) && passing.header.source == 0 && passing.index < 120 && passing.index % 3 == 0;
  };
  const auto message = [](Rank from, Rank to) { return patterned(from, to, 150'000); };
  EXPECT_LT(milliseconds(superstep(network, message)), 30 + 8);
}

TEST(Endpoint, does_not_repeat_a_repair_before_a_report_could_tell_of_it) {
  ScriptedNetwork network(2, {});
  for (int i = 0; i < 20; ++i)
    superstep(network, nothing);
  network.lose = [](const Passing& passing) {
    return is_data(passing) && passing.header.source == 0 && passing.index == 30;
  };
  superstep(network, [](Rank from, Rank to) { return patterned(from, to, 500'000); });
  network.run_for(1s);
  EXPECT_EQ(network[0].counters().segments_resent, 2u) << "one repair of two copies, and no more";
}

TEST(Endpoint, survives_the_loss_of_all_but_every_third_datagram_of_every_kind) {
  ScriptedNetwork network(4, {});
  network.lose = [](const Passing& passing) { return passing.header.packet_number % 3 != 0; };
  for (int i = 0; i < 5; ++i) {
    superstep(network, [](Rank from, Rank to) { return patterned(from, to, 10'000); });
  }
}

TEST(Endpoint, sends_k_copies_and_needs_no_repair_if_one_of_them_arrives) {
  ExchangeOptions options;
  options.copies = 3;
  ScriptedNetwork network(2, options);
  for (int i = 0; i < 20; ++i)
    superstep(network, nothing);
  network.lose = [](const Passing& passing) {
    return is_data(passing) && passing.header.packet_number % 3 != 2;
  };
  const Duration took = superstep(network, nothing);
  EXPECT_LT(milliseconds(took), 10 + 5);
  network.run_for(1s);
  EXPECT_EQ(network[0].counters().segments_resent, 0u);
}

TEST(Endpoint, copies_not_sent_yet_are_not_sent_once_acknowledged) {
  ExchangeOptions options;
  options.copies = 16;
  options.rate = megabits_per_second(10);
  ScriptedNetwork network(2, options, 1ms);
  // 75 segments take 84 ms a pass, so acknowledgements overtake the second pass.
  superstep(network, [](Rank from, Rank to) { return patterned(from, to, 100'000); });
  network.run_for(5s);
  EXPECT_LT(network[0].counters().segments_sent, 2u * 75 + 20);
}

TEST(Endpoint, acknowledges_a_message_though_its_program_computes) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  network.run_for(3s);
  EXPECT_EQ(network.sent(DatagramKind::data), 2) << "nobody had to probe";
}

TEST(Endpoint, is_never_more_than_one_superstep_ahead) {
  ScriptedNetwork network(2, {});
  network.begin_exchange(0, nothing);
  network.run_for(200ms);
  EXPECT_FALSE(network[0].exchange_complete());
  network.begin_exchange(1, nothing);
  EXPECT_TRUE(network.run_exchange());
}

TEST(Endpoint, replies_pass_only_between_the_pairs_that_asked) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  // Rank 0 asked rank 1; rank 2 has no part in it.
  std::vector<Bytes> reply(3);
  reply[0] = patterned(1, 0, 5000);
  const int before = network.sent(DatagramKind::data);
  network[1].begin_reply(reply, {0}, {}, network.now());
  network[0].begin_reply(std::vector<Bytes>(3), {}, {1}, network.now());
  EXPECT_TRUE(network[1].exchange_complete());
  EXPECT_TRUE(network.run_exchange());
  EXPECT_EQ(network[0].take_messages()[1], reply[0]);
  EXPECT_EQ(network.sent(DatagramKind::data) - before, 4);
  superstep(network, nothing);
}

TEST(Endpoint, a_lost_reply_is_repaired_while_its_sender_is_in_the_next_superstep) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  network.lose = [](const Passing& passing) {
    return is_data(passing) && passing.header.source == 1 && passing.header.destination == 0 &&
           passing.index < 3;
  };
  std::vector<Bytes> reply(3);
  reply[0] = patterned(1, 0, 5000);
  network[1].begin_reply(reply, {0}, {}, network.now());
  network.begin_exchange(1, nothing);
  network.begin_exchange(2, nothing);
  network[0].begin_reply(std::vector<Bytes>(3), {}, {1}, network.now());
  EXPECT_TRUE(network.run_until([&] { return network[0].exchange_complete(); }, 10s));
  EXPECT_EQ(network[0].take_messages()[1], reply[0]);
  network.begin_exchange(0, nothing);
  EXPECT_TRUE(network.run_exchange());
}

TEST(Endpoint, a_message_above_the_ceiling_is_refused_before_anything_is_sent) {
  ExchangeOptions options;
  options.max_message_bytes = 1000;
  ScriptedNetwork network(2, options);
  std::vector<Bytes> outgoing(2);
  outgoing[1] = Bytes(1001);
  EXPECT_THROW(network[0].begin_exchange(outgoing, network.now()), MessageTooLarge);
}

TEST(Endpoint, is_made_only_for_ranks_and_sizes_that_a_job_may_have) {
  const auto made = [](Rank rank, Rank size) {
    return Endpoint({rank, size, {}, JobKey{}, Cipher::chacha20_poly1305, {}}, Instant{});
  };
  for (const auto& [rank, size] : {std::pair{0, 0}, {-1, 2}, {2, 2}, {0, max_ranks + 1}}) {
    try {
      made(rank, size);
      ADD_FAILURE() << "rank " << rank << " of " << size;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("choose 1 to 65535 ranks"), std::string::npos) << error.what();
    }
  }
}

TEST(Endpoint, a_world_of_one_needs_no_network) {
  ScriptedNetwork network(1, {});
  network.begin_exchange(nothing);
  EXPECT_TRUE(network[0].exchange_complete());
  EXPECT_EQ(network[0].take_messages().size(), 1u);
  network[0].begin_finish(network.now());
  EXPECT_TRUE(network[0].finished());
}

/// As where the socket takes nothing for a while: datagrams come, and reports cannot go.
TEST(Endpoint, whose_reports_cannot_leave_still_comes_to_an_end_of_its_timeouts) {
  constexpr std::size_t datagram_bytes = 1400;
  const JobKey key;
  Instant now{};
  Endpoint sender({0, 2, {}, key, Cipher::chacha20_poly1305, {}}, now);
  Endpoint receiver({1, 2, {}, key, Cipher::chacha20_poly1305, {}}, now);
  sender.begin_exchange({{}, Bytes(560'000)}, now);
  receiver.begin_exchange(std::vector<Bytes>(2), now);
  int delivered = 0;
  std::vector<std::byte> buffer(datagram_bytes);
  while (delivered < 100) {
    now += 1ms;
    while (const auto transmit = sender.poll_transmit(buffer, now)) {
      receiver.handle_datagram(std::span(buffer).first(transmit->bytes), now);
      ++delivered;
    }
    receiver.handle_timeout(now);
  }
  EXPECT_TRUE(receiver.poll_transmit(buffer, now)) << "the report has been forgotten";
  while (receiver.poll_transmit(buffer, now)) {
  }
  EXPECT_GT(receiver.next_timeout(), now);
}

TEST(Endpoint, wakes_up_for_a_report_that_waits_for_its_share_of_the_rate) {
  const JobKey key;
  Instant now{};
  ExchangeOptions slow;
  slow.rate = megabits_per_second(0.2);
  Endpoint sender({0, 2, {}, key, Cipher::chacha20_poly1305, {}}, now);
  Endpoint receiver({1, 2, slow, key, Cipher::chacha20_poly1305, {}}, now);
  sender.begin_exchange({{}, Bytes(5'600'000)}, now);
  receiver.begin_exchange(std::vector<Bytes>(2), now);
  Bytes buffer(1500);
  const auto pass = [&](Endpoint& from, Endpoint& to, int lost_of) {
    for (int i = 0; const auto transmit = from.poll_transmit(buffer, now); ++i)
      if (lost_of == 0 || i % lost_of != 0) to.handle_datagram(std::span(buffer).first(transmit->bytes), now);
    from.handle_timeout(now);
  };
  Duration longest_sleep{0};
  for (int i = 0; i < 1000 && !receiver.exchange_complete(); ++i) {
    now += 1ms;
    pass(sender, receiver, 3);
    pass(receiver, sender, 0);
    if (i > 100) longest_sleep = std::max(longest_sleep, receiver.next_timeout() - now);
  }
  EXPECT_GE(longest_sleep, 5ms) << "no report has waited";
  EXPECT_LE(longest_sleep, 100ms);
}

/// Whose address may be learnt from where a datagram came: one that was late, or was there before, is from the past.
TEST(Endpoint, names_the_sender_of_its_newest_authentic_datagram_only) {
  const JobKey key;
  const Instant now{};
  Endpoint sender({0, 2, {}, key, Cipher::chacha20_poly1305, {}}, now);
  Endpoint receiver({1, 2, {}, key, Cipher::chacha20_poly1305, {}}, now);
  sender.begin_exchange({{}, Bytes(std::size_t{3} * 1400)}, now);
  std::vector<Bytes> sent;
  Bytes buffer(1400);
  while (const auto transmit = sender.poll_transmit(buffer, now))
    sent.emplace_back(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(transmit->bytes));
  ASSERT_GE(sent.size(), 3U);
  const auto taken = [&](Bytes datagram) { return receiver.handle_datagram(datagram, now); };
  EXPECT_EQ(taken(sent[1]), HeardFrom{0});
  EXPECT_EQ(taken(sent[1]), std::nullopt);
  EXPECT_EQ(taken(sent[0]), std::nullopt);
  Bytes forged = sent[2];
  forged.back() ^= std::byte{1};
  EXPECT_EQ(taken(forged), std::nullopt);
  EXPECT_EQ(taken(sent[2]), HeardFrom{0});
}

}  // namespace
}  // namespace lbsp::transport::testing
