#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <thread>

#include "tests/transport/udp_cluster.hpp"
#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Stands between the others and one rank: forwards each datagram, and throws a stranger's after it.
class HostileRelay {
 public:
  explicit HostileRelay(const PeerAddress& target)
      : port_(UdpPort::bind("127.0.0.1", 0)), target_(resolve(target, AF_INET)), thread_([this] { run(); }) {}
  ~HostileRelay() {
    stop_ = true;
    thread_.join();
  }

  PeerAddress address() const { return {"127.0.0.1", port_.port()}; }
  std::uint64_t hostile() const { return hostile_; }

 private:
  void send(std::size_t bytes) {
    ::sendto(port_.native_handle(), buffer_.data(), bytes, 0, target_.get(), target_.length);
  }

  void run() {
    pollfd readable{port_.native_handle(), POLLIN, 0};
    while (!stop_) {
      ::poll(&readable, 1, 10);
      const auto received = ::recv(port_.native_handle(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (received <= 0) continue;
      const auto bytes = static_cast<std::size_t>(received);
      send(bytes);
      torment(bytes);
    }
  }

  // The last datagram again as it was, with a flipped bit anywhere, shortened, and pure noise of some length.
  void torment(std::size_t bytes) {
    send(bytes);
    buffer_[random_() % bytes] ^= static_cast<std::uint8_t>(1U << random_() % 8);
    send(bytes);
    send(random_() % bytes);
    const std::size_t noise = random_() % buffer_.size();
    for (std::size_t i = 0; i < noise; ++i)
      buffer_[i] = static_cast<std::uint8_t>(random_());
    send(noise);
    hostile_ += 4;
  }

  UdpPort port_;
  SocketAddress target_;
  std::array<std::uint8_t, 2000> buffer_{};
  std::mt19937_64 random_{5};
  std::atomic<std::uint64_t> hostile_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(UdpExchange, random_flipped_shortened_and_replayed_datagrams_are_counted_and_change_nothing) {
  UdpCluster cluster(2);
  HostileRelay relay(cluster.job.addresses[1]);
  cluster.adjust = [&](UdpJob& job) {
    if (job.rank == 0) job.addresses[1] = relay.address();
  };
  std::atomic<std::uint64_t> rejected = 0;
  cluster.run_well([&](UdpExchange& exchange) {
    for (int superstep = 0; superstep < 20; ++superstep) {
      const Rank other = 1 - exchange.rank();
      std::vector<Bytes> outgoing(2);
      outgoing[static_cast<std::size_t>(other)] = Bytes(50'000, std::byte(superstep + exchange.rank()));
      const auto incoming = exchange.exchange(std::move(outgoing));
      EXPECT_EQ(incoming[static_cast<std::size_t>(other)], Bytes(50'000, std::byte(superstep + other)));
    }
    exchange.finish();
    if (exchange.rank() == 1) rejected = exchange.counters().datagrams_rejected;
  });
  EXPECT_GT(relay.hostile(), 1000u);
  EXPECT_GT(rejected, relay.hostile() / 2);  // the last may come after the end
}

TEST(UdpExchange, rank_of_another_job_is_a_stranger) {
  UdpCluster cluster(2);
  cluster.job.options.peer_timeout = 300ms;
  cluster.adjust = [](UdpJob& job) { job.key.bytes[0] = static_cast<std::uint8_t>(job.rank); };
  cluster.run_well([](UdpExchange& exchange) {
    EXPECT_THROW(exchange.exchange(std::vector<Bytes>(2)), PeerLost);
    EXPECT_EQ(exchange.counters().datagrams_received, 0u);
    EXPECT_GT(exchange.counters().datagrams_rejected, 0u);
  });
}

}  // namespace
}  // namespace lbsp::transport
