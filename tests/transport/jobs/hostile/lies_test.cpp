#include <gtest/gtest.h>

#include "tests/transport/recovery_names.hpp"
#include "tests/transport/scripted_superstep.hpp"

/// Somebody with the job's key tells ranks what is not so. They may fail, but they do not wait for ever.
namespace lbsp::transport::testing {
namespace {

/// An authentic datagram with a number that its sender has not reached.
template <class Header>
std::vector<std::byte> forged(const JobKey& key, DatagramKind kind, Rank from, Rank to,
                              const Header& header) {
  constexpr std::uint64_t packet = 40;
  std::array<std::byte, 200> body;
  WireWriter out(body);
  write(out, header);
  std::vector<std::byte> datagram(clear_header_bytes + out.written() + tag_bytes);
  WireWriter whole(datagram);
  write(whole, ClearHeader{kind, from, to, key.tag(), packet});
  whole.put(std::span<const std::byte>(body).first(out.written()));
  DirectionKey(key, from, to, Cipher::chacha20_poly1305)
      .seal(packet, std::span(datagram).first(clear_header_bytes),
            std::span(datagram).subspan(clear_header_bytes));
  return datagram;
}

class Lies : public ::testing::TestWithParam<Recovery> {
 protected:
  /// Tells `to` that all of its message to `from` has arrived, in a first round of one segment.
  void tell_all_arrived(ScriptedNetwork& network, Rank from, Rank to) const {
    StatusHeader status;
    status.position = {0, Leg::replies};
    SegmentAck ack;
    ack.round = 1;
    auto datagram = GetParam() == Recovery::receiver
                        ? forged(network.key(), DatagramKind::status, from, to, status)
                        : forged(network.key(), DatagramKind::ack, from, to, ack);
    network[to].handle_datagram(datagram, network.now());
  }
};

TEST_P(Lies, ranks_told_that_all_of_theirs_arrived_do_not_wait_for_each_other_for_ever) {
  for (const Rank size : {2, 3}) {
    ExchangeOptions options;
    options.recovery = GetParam();
    options.peer_timeout = 2s;
    ScriptedNetwork network(size, options);
    network.lose = is_data;
    network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 100); });
    for (Rank from = 0; from < size; ++from) {
      for (Rank to = 0; to < size; ++to) {
        if (from != to) tell_all_arrived(network, from, to);
      }
    }
    EXPECT_TRUE(network.run_until([&] { return network[0].failure() && network[1].failure(); }, 10s));
  }
}

/// As if each had taken leave of the other, who then has one more superstep.
TEST_P(Lies, ranks_told_that_the_others_have_left_come_to_an_end) {
  for (const bool both_heard : {false, true}) {
    ExchangeOptions options;
    options.recovery = GetParam();
    options.peer_timeout = 2s;
    ScriptedNetwork network(2, options);
    for (const Rank from : {0, 1}) {
      FinHeader fin;
      fin.heard = both_heard || from == 1;
      auto datagram = forged(network.key(), DatagramKind::fin, from, 1 - from, fin);
      network[1 - from].handle_datagram(datagram, network.now());
    }
    network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 100); });
    const auto ended = [&](Rank rank) {
      if (network[rank].exchange_complete()) network[rank].begin_finish(network.now());
      const bool over = network[rank].finished() || network[rank].failure();
      if (over) network.cut_off(rank);
      return over;
    };
    const auto both_ended = [&] {
      const bool first = ended(0);
      return ended(1) && first;
    };
    EXPECT_TRUE(network.run_until(both_ended, 10s)) << "both have heard FIN: " << both_heard;
  }
}

/// Two datagrams in a round trip go whatever a peer says.
TEST(LyingGrants, a_peer_that_grants_next_to_nothing_gets_its_message_nevertheless) {
  ScriptedNetwork network(2, {});
  StatusHeader status;
  status.granted = BytesPerSecond{1};
  auto datagram = forged(network.key(), DatagramKind::status, 1, 0, status);
  network[0].handle_datagram(datagram, network.now());
  network.begin_exchange([](Rank from, Rank to) { return patterned(from, to, 20'000); });
  const Instant begun = network.now();
  EXPECT_TRUE(network.run_until(
      [&] { return network[0].exchange_complete() && network[1].exchange_complete(); }, 5s));
  EXPECT_GT(network.now() - begun, 100ms) << "it was believed";
}

INSTANTIATE_TEST_SUITE_P(Schemes, Lies,
                         ::testing::Values(Recovery::receiver, Recovery::rounds, Recovery::whole_round),
                         recovery_name);

}  // namespace
}  // namespace lbsp::transport::testing
