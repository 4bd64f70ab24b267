#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "tests/transport/udp_cluster.hpp"
#include "transport/udp/udp_exchange.hpp"

/// What an exchange tells of itself while its program computes.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(UdpFigures, of_traffic_and_of_loss_are_of_one_moment) {
  std::atomic<bool> looked = false;
  UdpCluster(2).run_well([&](UdpExchange& exchange) {
    const auto superstep = [&] { exchange.exchange({Bytes(50'000), Bytes(50'000)}); };
    superstep();
    if (exchange.rank() == 0) {
      const auto before = exchange.counters().datagrams_received;
      looked = true;
      looked.notify_all();
      const auto limit = Clock::now() + 10s;
      while (exchange.counters().datagrams_received < before + 20 && Clock::now() < limit)
        std::this_thread::sleep_for(1ms);
      // Rank 1 waits in the next superstep: what it has sent for that one comes before a keepalive does.
      const auto received = exchange.counters().datagrams_received;
      EXPECT_GE(received, before + 20);
      EXPECT_GE(exchange.network().loss_sample, received);
    }
    if (exchange.rank() == 1) looked.wait(false);
    superstep();
    exchange.finish();
  });
}

}  // namespace
}  // namespace lbsp::transport
