#include <algorithm>
#include <array>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <vector>

#include "tests/transport/room_state.hpp"
#include "transport/bytes.hpp"
#include "transport/udp/batches/receive_batch.hpp"
#include "transport/udp/batches/send_batch.hpp"
#include "transport/udp/sockets/port.hpp"

/// Datagrams that pass through the system in one piece: which may, and that nothing comes of it but speed.
namespace lbsp::transport {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using namespace testing;

constexpr std::size_t most_bytes = 1500;

/// Two sockets that receive, one that sends to them, and what is to be received.
struct Sockets {
  UdpPort sender = UdpPort::bind("127.0.0.1", 0);
  std::vector<UdpPort> receivers;
  std::vector<SocketAddress> addresses;
  std::vector<std::vector<Bytes>> sent;
  DatagramPool pool{most_bytes};
  SendBatch batch{sender.native_handle(), pool};

  explicit Sockets(std::size_t count = 1) : sent(count) {
    for (std::size_t i = 0; i < count; ++i) {
      receivers.push_back(UdpPort::bind("127.0.0.1", 0));
      addresses.push_back(resolve({"127.0.0.1", receivers.back().port()}, AF_INET));
    }
  }

  void add(std::size_t to, std::size_t bytes, bool in_train = true) {
    const auto slot = pool.acquire();
    const auto buffer = pool.bytes(slot).first(bytes);
    std::ranges::fill(buffer, static_cast<std::byte>(7 * sent[to].size() + to));
    sent[to].emplace_back(buffer.begin(), buffer.end());
    batch.add(static_cast<Rank>(to), addresses[to], slot, bytes, in_train);
  }

  std::vector<Bytes> receive(std::size_t at, const ReceiveBatch::Settings& settings) const {
    ReceiveBatch received(receivers[at].native_handle(), settings);
    std::vector<Bytes> datagrams;
    pollfd waiting{receivers[at].native_handle(), POLLIN, 0};
    while (datagrams.size() < sent[at].size() && ::poll(&waiting, 1, 5000) == 1) {
      const std::size_t count = received.receive();
      for (std::size_t i = 0; i < count; ++i)
        datagrams.emplace_back(received[i].begin(), received[i].end());
    }
    return datagrams;
  }
};

TEST(Train, of_one_length_but_the_last_arrives_as_single_datagrams) {
  for (const bool trains : {false, true}) {
    Sockets sockets;
    for (int i = 0; i < 9; ++i)
      sockets.add(0, 1400);
    sockets.add(0, 300);
    EXPECT_TRUE(sockets.batch.flush());
    EXPECT_EQ(sockets.batch.in_trains(), 10u);
    EXPECT_EQ(sockets.receive(0, {.datagram_bytes = most_bytes, .trains = trains}), sockets.sent[0]);
    EXPECT_EQ(sockets.pool.in_use(), 0u);
  }
}

TEST(Train, is_made_of_what_goes_to_one_destination_in_the_order_in_which_it_came) {
  Sockets sockets(2);
  for (int i = 0; i < 20; ++i)
    sockets.add(static_cast<std::size_t>(i) % 2, 1000);
  EXPECT_TRUE(sockets.batch.flush());
  EXPECT_EQ(sockets.batch.in_trains(), 20u);
  for (const std::size_t to : {0u, 1u})
    EXPECT_EQ(sockets.receive(to, {.datagram_bytes = most_bytes, .trains = true}), sockets.sent[to]);
}

TEST(Train, ends_where_a_longer_one_comes_or_one_that_goes_alone) {
  Sockets sockets;
  for (const std::size_t bytes : {500u, 500u, 900u, 900u, 900u})
    sockets.add(0, bytes);
  for (int i = 0; i < 3; ++i)
    sockets.add(0, 900, false);
  EXPECT_TRUE(sockets.batch.flush());
  EXPECT_EQ(sockets.batch.in_trains(), 5u);
  EXPECT_EQ(sockets.receive(0, {.datagram_bytes = most_bytes, .trains = true}), sockets.sent[0]);
}

TEST(Train, that_the_system_refuses_goes_in_single_datagrams_and_the_next_ones_too) {
  Sockets sockets;
  constexpr int on = 1;
  ASSERT_EQ(setsockopt(sockets.sender.native_handle(), SOL_SOCKET, SO_NO_CHECK, &on, sizeof on), 0);
  for (int batch = 0; batch < 2; ++batch) {
    for (int i = 0; i < 40; ++i)
      sockets.add(0, 1200);
    EXPECT_TRUE(sockets.batch.flush());
  }
  EXPECT_EQ(sockets.batch.in_trains(), 0u);
  EXPECT_EQ(sockets.batch.refused(), 0u);
  EXPECT_EQ(sockets.receive(0, {.datagram_bytes = most_bytes, .trains = true}), sockets.sent[0]);
}

/// As while a filter or a lost route refuses all that goes there.
TEST(Train, is_made_again_once_the_system_takes_single_datagrams_that_it_has_refused) {
  Sockets sockets;
  sockets.addresses[0] = resolve({"127.255.255.255", sockets.receivers[0].port()}, AF_INET);
  const auto send = [&] {
    for (int i = 0; i < 40; ++i)
      sockets.add(0, 1200);
    EXPECT_TRUE(sockets.batch.flush());
  };
  send();
  EXPECT_EQ(sockets.batch.refused(), 40u) << "to all";
  constexpr int on = 1;
  ASSERT_EQ(setsockopt(sockets.sender.native_handle(), SOL_SOCKET, SO_BROADCAST, &on, sizeof on), 0);
  send();
  EXPECT_EQ(sockets.batch.refused(), 40u);
  EXPECT_EQ(sockets.batch.in_trains(), 40u);
}

TEST(Train, says_of_each_datagram_where_it_comes_from_and_cuts_off_what_is_too_long) {
  Sockets sockets;
  for (int i = 0; i < 4; ++i)
    sockets.add(0, 1000);
  EXPECT_TRUE(sockets.batch.flush());
  ReceiveBatch received(sockets.receivers[0].native_handle(),
                        {.datagram_bytes = 800, .sources = true, .trains = true});
  ASSERT_EQ(received.receive(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(received[i].size(), 800u);
    EXPECT_EQ(received.source(i), resolve({"127.0.0.1", sockets.sender.port()}, AF_INET));
  }
}

/// Whether each datagram that a rank sends of this message may go in a train.
std::vector<bool> in_trains(BytesPerSecond rate, int copies) {
  EndpointConfig config = config_of(2);
  config.options.rate = rate;
  RoomState<ReceiverDriven> room(config);
  room.begin_leg(5000);
  MessagePlan plan;
  plan.copies = copies;
  room.outgoing().set_plan(plan);
  std::vector<bool> found;
  Instant now = start;
  Bytes buffer(most_bytes);
  for (int copy = 0; copy < copies; ++copy) {
    room.state.queue.release(now);
    while (const auto transmit = room.sending.next(room.state.queue, buffer, now))
      found.push_back(transmit->in_train);
    now = room.state.queue.next_release();
  }
  return found;
}

TEST(Train, is_for_first_copies_at_rates_that_timers_let_go_together_anyway) {
  EXPECT_THAT(in_trains(megabits_per_second(10'000), 2),
              ElementsAre(true, true, true, true, false, false, false, false));
  EXPECT_THAT(in_trains(megabits_per_second(1000), 1), ElementsAre(true, true, true, true));
  EXPECT_THAT(in_trains(megabits_per_second(900), 1), ElementsAre(false, false, false, false));
}

}  // namespace
}  // namespace lbsp::transport
