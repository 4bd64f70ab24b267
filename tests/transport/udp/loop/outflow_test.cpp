#include "transport/udp/loop/outflow.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/udp/batches/receive_batch.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_of_outflow = 70000;

/// Sends these to one address, and keeps what is refused.
class OutflowSource final : public Correspondent {
 public:
  explicit OutflowSource(SocketAddress to) : to_(to) {}

  void handle_datagram(std::span<std::byte>, const SocketAddress&, const Arrival&) override {}
  void handle_timeout(Instant) override {}
  Instant next_timeout() const override { return never; }
  std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, Instant) override {
    if (lengths.empty()) return std::nullopt;
    const Outgoing outgoing{.to = 3, .bytes = lengths.back()};
    lengths.pop_back();
    std::ranges::fill(buffer.first(outgoing.bytes), std::byte{7});
    return outgoing;
  }
  const SocketAddress& address_of(Rank) const override { return to_; }
  bool finished() const override { return false; }
  void handle_refusal(Rank to, std::size_t bytes, Instant) override {
    EXPECT_EQ(to, 3);
    refused.push_back(bytes);
  }

  std::vector<std::size_t> lengths;  ///< of those that are to be sent, the last one first
  std::vector<std::size_t> refused;

 private:
  SocketAddress to_;
};

/// Two sockets of this host, of which one sends.
struct OutflowSockets {
  UdpPort from = UdpPort::bind("127.0.0.1", 0);
  UdpPort to = UdpPort::bind("127.0.0.1", 0);
  OutflowSource source{resolve({"127.0.0.1", to.port()}, from.family())};
  ReceiveBatch received{to.native_handle(), {.datagram_bytes = longest_of_outflow}};

  Outflow outflow(std::optional<ImpairedLink> link = {}) {
    return Outflow(from, source, longest_of_outflow, false, std::move(link));
  }
  std::size_t arrivals() {
    std::size_t sum = 0;
    while (const std::size_t count = received.receive())
      sum += count;
    return sum;
  }
};

WanSpec late_network() {
  WanSpec spec;
  spec.round_trip_time = 40ms;
  return spec;
}

TEST(Outflow, sends_all_that_there_is) {
  OutflowSockets sockets;
  Outflow outflow = sockets.outflow();
  sockets.source.lengths.assign(5, 100);
  EXPECT_EQ(outflow.send(start), Outflow::Left::nothing);
  EXPECT_TRUE(outflow.idle());
  EXPECT_EQ(sockets.arrivals(), 5U);
  EXPECT_EQ(outflow.refused(), 0U);
}

TEST(Outflow, sends_a_batch_at_a_time) {
  OutflowSockets sockets;
  Outflow outflow = sockets.outflow();
  sockets.source.lengths.assign(SendBatch::most_datagrams + 1, 100);
  EXPECT_EQ(outflow.send(start), Outflow::Left::more);
  EXPECT_EQ(sockets.source.lengths.size(), 1U);
  EXPECT_EQ(outflow.send(start), Outflow::Left::nothing);
  EXPECT_EQ(sockets.arrivals(), SendBatch::most_datagrams + 1);
}

TEST(Outflow, tells_what_was_too_long_and_may_now_go_in_shorter_ones) {
  OutflowSockets sockets;
  Outflow outflow = sockets.outflow();
  sockets.source.lengths = {69000, 100};
  EXPECT_EQ(outflow.send(start), Outflow::Left::more);
  EXPECT_EQ(sockets.source.refused, std::vector<std::size_t>{69000});
  EXPECT_EQ(outflow.refused(), 1U);
  EXPECT_EQ(sockets.arrivals(), 1U);
}

TEST(Outflow, holds_what_a_pretended_network_delays) {
  OutflowSockets sockets;
  Outflow outflow = sockets.outflow(ImpairedLink(late_network(), 1, 0, 4));
  EXPECT_EQ(outflow.next(), never);
  sockets.source.lengths.assign(2, 100);
  EXPECT_EQ(outflow.send(start), Outflow::Left::nothing);
  EXPECT_FALSE(outflow.idle());
  EXPECT_EQ(outflow.next(), start + 20ms);
  EXPECT_EQ(sockets.arrivals(), 0U);
  EXPECT_EQ(outflow.send(start + 20ms), Outflow::Left::nothing);
  EXPECT_TRUE(outflow.idle());
  EXPECT_EQ(sockets.arrivals(), 2U);
  EXPECT_EQ(outflow.impairment().offered, 2U);
}

}  // namespace
}  // namespace lbsp::transport
