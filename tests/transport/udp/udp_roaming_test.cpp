#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

#include "tests/transport/udp/udp_cluster.hpp"
#include "tests/transport/udp/udp_nat.hpp"

/// Ranks whose addresses are not those that the others were told, or change while the job runs.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Rank 1 is behind the NAT: it sends to the others through it.
void send_through(const UdpNat& nat, UdpJob& job) {
  if (job.rank != 1) return;
  for (Rank other = 0; other < static_cast<Rank>(job.addresses.size()); ++other) {
    if (other != 1) job.addresses[static_cast<std::size_t>(other)] = nat.inner(other);
  }
}

TEST(Roaming, a_rank_is_found_where_its_datagrams_come_from) {
  UdpCluster cluster(3);
  UdpNat nat(1, cluster.job.addresses);
  cluster.adjust = [&](UdpJob& job) {
    send_through(nat, job);
    if (job.rank != 1) job.addresses[1] = {"127.0.0.1", 9};  // where nobody is
  };
  cluster.run_well([](UdpExchange& exchange) {
    talk(exchange, 20, 20'000);
    exchange.finish();
  });
  EXPECT_GT(nat.inward(), 300U) << "two ranks sent it 20 messages of 16 segments each";
}

TEST(Roaming, a_rank_that_gets_another_port_or_address_goes_on) {
  for (const char* address : {"127.0.0.1", "127.0.0.9"}) {
    UdpCluster cluster(3);
    cluster.job.options.peer_timeout = 10s;
    UdpNat nat(1, cluster.job.addresses);
    cluster.adjust = [&](UdpJob& job) {
      send_through(nat, job);
      if (job.rank != 1) job.addresses[1] = nat.outer();
    };
    std::atomic<int> moves = 0;
    cluster.run_well([&](UdpExchange& exchange) {
      for (int round = 0; round < 10; ++round) {
        talk(exchange, 10, 20'000);
        if (exchange.rank() != 1) continue;
        nat.rebind(address);
        ++moves;
      }
      exchange.finish();
    });
    EXPECT_EQ(moves, 10);
  }
}

/// As behind a NAT that leads none of them back.
TEST(Roaming, ranks_of_a_host_find_each_other_where_only_others_can_use_its_address) {
  const auto run = [](UdpCluster& cluster) {
    for (const std::size_t rank : {1U, 2U})
      cluster.job.addresses[rank] = {"192.0.2.1", cluster.job.addresses[rank].port,
                                     "behind"};  // RFC 5737: nobody
    cluster.job.options.peer_timeout = 5s;
    cluster.run_well([](UdpExchange& exchange) {
      talk(exchange, 5, 20'000);
      exchange.finish();
    });
  };
  for (const char* bind_address : {"0.0.0.0", "::"}) {
    UdpCluster own_ports(3, "", UdpPort::usual_buffer_bytes, bind_address);
    run(own_ports);
    auto one_port = UdpCluster::with_shared_port(2, bind_address);
    run(one_port);
  }
}

/// What was sent to the rank went to the stranger instead, for good: the first copy moved it.
TEST(Roaming, who_brings_copies_before_the_rank_itself_does_is_sent_nothing_but_questions) {
  UdpCluster cluster(2);
  const auto stranger = UdpPort::bind("127.0.0.1", 0);
  UdpNat nat(1, cluster.job.addresses);
  std::atomic<std::uint64_t> copies = 0;
  nat.copy_first([&](std::span<const std::uint8_t> datagram, const SocketAddress& to) {
    ++copies;
    ::sendto(stranger.native_handle(), datagram.data(), datagram.size(), 0, to.get(), to.length);
  });
  cluster.job.options.peer_timeout = 5s;
  cluster.adjust = [&](UdpJob& job) {
    send_through(nat, job);
    if (job.rank != 1) job.addresses[1] = nat.outer();
  };
  const auto begun = std::chrono::steady_clock::now();
  cluster.run_well([](UdpExchange& exchange) {
    talk(exchange, 50, 20'000);
    exchange.finish();
  });
  const auto took = std::chrono::steady_clock::now() - begun;
  std::array<std::uint8_t, 2000> datagram{};
  std::int64_t questions = 0;
  for (;; ++questions) {
    const auto bytes = ::recv(stranger.native_handle(), datagram.data(), datagram.size(), MSG_DONTWAIT);
    if (bytes < 0) break;
    EXPECT_LT(bytes, 60) << "messages have 20 kB";
  }
  EXPECT_GT(copies, 500U);
  EXPECT_GE(questions, 1);
  EXPECT_LE(questions, 3 + took / 100ms);
}

/// The others asked only where the first copy of each datagram came from, and the rank's own datagrams were the second:
/// nobody was ever asked where it really was, and the job ended after the peer timeout.
TEST(Roaming, a_rank_that_gets_another_port_is_found_though_copies_of_what_it_sends_come_first) {
  for (const std::size_t strangers : {1U, 30U}) {
    UdpCluster cluster(3);
    std::vector<UdpPort> ports;
    for (std::size_t i = 0; i < strangers; ++i)
      ports.push_back(UdpPort::bind("127.0.0.1", 0));
    UdpNat nat(1, cluster.job.addresses);
    std::size_t copies = 0;
    nat.copy_first([&](std::span<const std::uint8_t> datagram, const SocketAddress& to) {
      const UdpPort& port = ports[copies++ % strangers];
      ::sendto(port.native_handle(), datagram.data(), datagram.size(), 0, to.get(), to.length);
    });
    cluster.job.options.peer_timeout = 5s;
    cluster.adjust = [&](UdpJob& job) {
      send_through(nat, job);
      if (job.rank != 1) job.addresses[1] = {"127.0.0.1", 9};  // where nobody is
    };
    cluster.run_well([&](UdpExchange& exchange) {
      for (int round = 0; round < 4; ++round) {
        talk(exchange, 5, 20'000);
        if (exchange.rank() == 1) nat.rebind("127.0.0.1");
      }
      exchange.finish();
    });
    EXPECT_GT(nat.inward(), 200U);
  }
}

/// The network repeats each datagram from a place of its own, as it was and with a number that is too high.
TEST(Roaming, who_only_repeats_datagrams_gets_no_answer) {
  UdpCluster cluster(2);
  const auto stranger = UdpPort::bind("127.0.0.1", 0);
  const SocketAddress target = resolve(cluster.job.addresses[0], AF_INET);
  UdpNat nat(1, cluster.job.addresses, [&](std::span<std::uint8_t> datagram, const auto&) {
    constexpr std::size_t packet_number = 8;  // in the clear header
    const auto send = [&] {
      ::sendto(stranger.native_handle(), datagram.data(), datagram.size(), 0, target.get(), target.length);
    };
    send();
    datagram[packet_number] = static_cast<std::uint8_t>(datagram[packet_number] + 1);
    send();
  });
  cluster.adjust = [&](UdpJob& job) {
    send_through(nat, job);
    if (job.rank != 1) job.addresses[1] = nat.outer();
  };
  std::atomic<std::uint64_t> rejected = 0;
  cluster.run_well([&](UdpExchange& exchange) {
    talk(exchange, 50, 20'000);
    exchange.finish();
    if (exchange.rank() == 0) rejected = exchange.counters().datagrams_rejected;
  });
  EXPECT_GT(rejected, nat.outward());
  std::uint8_t byte = 0;
  EXPECT_LT(::recv(stranger.native_handle(), &byte, 1, MSG_DONTWAIT), 0);
}

}  // namespace
}  // namespace lbsp::transport
