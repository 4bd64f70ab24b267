#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "tests/transport/udp/udp_cluster.hpp"
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

/// How fast it is the answers tell, too, if the host is not too busy to take them one by one.
TEST(UdpFigures, of_a_network_whose_rate_has_to_be_found_are_there_before_the_first_superstep) {
  UdpCluster cluster(2, "rate=5Mbit,rtt=40ms");
  cluster.job.options.find_rate = true;
  cluster.job.options.rate = megabits_per_second(100);
  cluster.run_well([](UdpExchange& exchange) {
    const NetworkMeasure network = exchange.network();
    EXPECT_GT(network.round_trip_time, 35ms);
    EXPECT_GT(network.rate, megabits_per_second(1));
    exchange.exchange({Bytes(10), Bytes(10)});
    exchange.finish();
  });
}

TEST(UdpFigures, of_a_network_that_answers_nothing_are_not_waited_for_for_long) {
  UdpCluster cluster(2, "rate=5Mbit,rtt=40ms,loss=100%");
  cluster.job.options.find_rate = true;
  const auto began = Clock::now();
  const UdpExchange exchange(UdpPort::bind("127.0.0.1", 0), cluster.job);
  EXPECT_LT(Clock::now() - began, 3s);
  EXPECT_EQ(exchange.network().round_trip_time, Duration{0});
}

/// Rank 1 computes until rank 0 has been seen to wait for it.
TEST(UdpFigures, of_a_rank_that_waits_say_whose_messages_have_not_come) {
  std::atomic<bool> seen = false;
  UdpCluster(3).run_well([&](UdpExchange& exchange) {
    const auto superstep = [&] { exchange.exchange({Bytes(10), Bytes(10), Bytes(10)}); };
    superstep();
    std::thread watcher;
    if (exchange.rank() == 0) {
      watcher = std::thread([&] {
        const auto limit = Clock::now() + 10s;
        while (!seen && Clock::now() < limit) {
          seen = exchange.awaited() == std::vector<Rank>{1};
          std::this_thread::sleep_for(5ms);
        }
        EXPECT_TRUE(seen);
        seen = true;
        seen.notify_all();
      });
    }
    if (exchange.rank() == 1) seen.wait(false);
    superstep();
    if (watcher.joinable()) watcher.join();
    EXPECT_TRUE(exchange.awaited().empty());
    exchange.finish();
  });
}

}  // namespace
}  // namespace lbsp::transport
