#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <span>

#include "tests/transport/udp/udp_cluster.hpp"
#include "tests/transport/udp/udp_nat.hpp"
#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// After each datagram, a stranger's: the same again as it was, with a flipped bit anywhere, shortened, and pure noise
/// of some length.
class Tormentor {
 public:
  void operator()(std::span<std::uint8_t> datagram, const std::function<void(std::size_t)>& send) {
    send(datagram.size());
    datagram[random_() % datagram.size()] ^= static_cast<std::uint8_t>(1U << random_() % 8);
    send(datagram.size());
    send(random_() % datagram.size());
    const std::size_t noise = random_() % datagram.size();
    for (std::uint8_t& byte : datagram.first(noise))
      byte = static_cast<std::uint8_t>(random_());
    send(noise);
    hostile_ += 4;
  }
  std::uint64_t hostile() const { return hostile_; }

 private:
  std::mt19937_64 random_{5};
  std::atomic<std::uint64_t> hostile_ = 0;
};

TEST(UdpExchange, random_flipped_shortened_and_replayed_datagrams_are_counted_and_change_nothing) {
  UdpCluster cluster(2);
  Tormentor tormentor;
  UdpNat nat(1, cluster.job.addresses, std::ref(tormentor));
  cluster.adjust = [&](UdpJob& job) {
    job.addresses[static_cast<std::size_t>(1 - job.rank)] = job.rank == 0 ? nat.outer() : nat.inner(0);
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
    rejected += exchange.counters().datagrams_rejected;
  });
  EXPECT_GT(tormentor.hostile(), 1000u);
  EXPECT_GT(rejected, tormentor.hostile() / 2);  // the last may come after the end
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
