#include "transport/udp/udp_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <future>
#include <gtest/gtest.h>

#include "tests/support/slowness.hpp"
#include "tests/transport/udp/udp_cluster.hpp"
#include "transport/error.hpp"
#include "transport/fixed_redundancy.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(UdpExchange, carries_messages_of_every_size) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1400}, std::size_t{70'000}}) {
    UdpCluster(3).run_well([&](UdpExchange& exchange) {
      talk(exchange, 5, bytes);
      exchange.finish();
    });
  }
}

TEST(UdpExchange, carries_a_mebibyte_per_pair) {
  UdpCluster(4).run_well([](UdpExchange& exchange) {
    talk(exchange, 2, mebibyte);
    exchange.finish();
  });
}

TEST(UdpExchange, carries_a_mebibyte_over_a_lossy_network) {
  UdpCluster(2, "loss=10%,rtt=5ms").run_well([](UdpExchange& exchange) {
    talk(exchange, 2, mebibyte);
    exchange.finish();
    EXPECT_GT(exchange.losses().impairment.lost, 0u);
    EXPECT_GT(exchange.counters().segments_resent, 0u);
  });
}

TEST(UdpExchange, mends_a_lossy_network_with_coded_segments) {
  UdpCluster cluster(3, "loss=10%,rtt=5ms,burst=2");
  cluster.job.planner = [](Rank) { return std::make_unique<FixedRedundancy>(2, 12); };
  cluster.run_well([](UdpExchange& exchange) {
    talk(exchange, 5, 200'000);
    EXPECT_EQ(exchange.forecast().most_copies, 2) << "one coded segment at most for each";
    exchange.finish();
    EXPECT_GT(exchange.losses().impairment.lost, 0u);
    EXPECT_GT(exchange.counters().coded_sent, 0u);
    EXPECT_EQ(exchange.counters().copies_sent, 0u);
  });
}

TEST(UdpExchange, sends_and_takes_messages_while_the_program_works) {
  std::promise<void> others_have_all;
  UdpCluster(2, "loss=10%,rtt=5ms").run_well([&](UdpExchange& exchange) {
    talk(exchange, 2, 1000);
    std::vector<Bytes> outgoing(2);
    outgoing[static_cast<std::size_t>(1 - exchange.rank())] = message(exchange.rank(), 0, 9, mebibyte);
    if (exchange.rank() == 0) {
      const auto has_all = [&] { return others_have_all.get_future().wait_for(30s); };
      const auto incoming = exchange.exchange_meanwhile(
          outgoing, [&] { EXPECT_EQ(has_all(), std::future_status::ready) << "the message has not left"; });
      EXPECT_EQ(incoming[1], message(1, 0, 9, mebibyte));
    } else {
      EXPECT_EQ(exchange.exchange(outgoing)[0], message(0, 0, 9, mebibyte));
      others_have_all.set_value();
    }
    exchange.finish();
  });
}

TEST(UdpExchange, plans_every_superstep_once_and_from_the_prior_of_each_path) {
  class Recording final : public RedundancyPlanner {
   public:
    explicit Recording(std::vector<double>& losses) : losses_(losses) {}
    LegForecast plan(const LegOutline& leg, std::span<MessagePlan>) override {
      losses_.push_back(leg.messages.front().path.loss);
      return {3ms};
    }
    int repairs_for(int lacking, int, const PathForecast&) const override { return lacking; }

   private:
    std::vector<double>& losses_;
  };
  std::vector<double> losses[2];
  UdpCluster cluster(2);
  cluster.job.planner = [&](Rank rank) {
    return std::make_unique<Recording>(losses[static_cast<std::size_t>(rank)]);
  };
  PathForecast prior;
  prior.loss = prior.loss_after_loss = 0.25;
  prior.loss_sample = 20;
  cluster.job.priors.assign(2, prior);
  cluster.run_well([](UdpExchange& exchange) {
    talk(exchange, 4, 1000);
    EXPECT_EQ(exchange.forecast().duration, 3ms);
    EXPECT_EQ(exchange.forecast().most_copies, 1);
    exchange.finish();
  });
  for (const auto& seen : losses) {
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_DOUBLE_EQ(seen.front(), 0.25);
  }
}

TEST(UdpExchange, survives_every_fault_together) {
  UdpCluster cluster(3,
                     "loss=10%,rtt=4ms,jitter=1ms,burst=3,reorder=3%,duplicate=3%,corrupt=3%,rate=300Mbit");
  cluster.run_well([](UdpExchange& exchange) {
    talk(exchange, 10, 20'000);
    exchange.finish();
  });
}

TEST(UdpExchange, replies_go_only_between_the_pairs_that_agreed) {
  UdpCluster(3, "loss=10%,rtt=2ms").run_well([](UdpExchange& exchange) {
    talk(exchange, 1, 100);
    std::vector<Bytes> outgoing(3);
    if (exchange.rank() == 0) {
      outgoing[1] = message(0, 1, 9, 30'000);
      exchange.reply(std::move(outgoing), {1}, {});
    } else if (exchange.rank() == 1) {
      EXPECT_EQ(exchange.reply(std::move(outgoing), {}, {0})[0], message(0, 1, 9, 30'000));
    }
    talk(exchange, 2, 100);
    exchange.finish();
  });
}

TEST(UdpExchange, job_of_one_rank_needs_no_peer) {
  UdpCluster(1).run_well([](UdpExchange& exchange) {
    talk(exchange, 3, 10);
    exchange.finish();
  });
}

TEST(UdpExchange, speaks_ipv6) {
  auto first = UdpPort::bind("::1", 0);
  auto second = UdpPort::bind("::1", 0);
  UdpJob job;
  job.addresses = {{"::1", first.port()}, {"::1", second.port()}};
  std::thread other([&] {
    auto own = job;
    own.rank = 1;
    UdpExchange exchange(std::move(second), own);
    talk(exchange, 2, 5000);
    exchange.finish();
  });
  UdpExchange exchange(std::move(first), job);
  talk(exchange, 2, 5000);
  exchange.finish();
  other.join();
}

TEST(UdpExchange, long_computation_is_not_silence) {
  UdpCluster cluster(2);
  cluster.job.options.peer_timeout = 400ms;
  cluster.run_well([](UdpExchange& exchange) {
    talk(exchange, 1, 10);
    if (exchange.rank() == 0) std::this_thread::sleep_for(1200ms);
    talk(exchange, 1, 10);
    exchange.finish();
  });
}

TEST(UdpExchange, destructor_without_finish_is_prompt) {
  UdpCluster cluster(2, "rtt=20ms");
  const auto start = Clock::now();
  { const UdpExchange exchange(UdpPort::bind("127.0.0.1", 0), cluster.job); }
  EXPECT_LT(Clock::now() - start, 500ms * test::slowness());
}

TEST(UdpExchange, empty_superstep_takes_little_more_than_a_one_way_delay) {
  UdpCluster(2, "rtt=20ms").run_well([](UdpExchange& exchange) {
    std::vector<Clock::duration> times;
    const auto begin = Clock::now();
    for (int superstep = 0; superstep < 40; ++superstep) {
      const auto start = Clock::now();
      exchange.exchange(std::vector<Bytes>(2));
      times.push_back(Clock::now() - start);
    }
    // A rank that is late finds its peer's message on the way already, so only the sum is bounded below.
    EXPECT_GE(Clock::now() - begin, 39 * 10ms);
    exchange.finish();
    // The fastest, because a busy machine delays the others; how fast it is on the whole, the benchmark
    // tells.
    EXPECT_LE(*std::min_element(times.begin(), times.end()), 10ms + 3ms * test::slowness());
  });
}

TEST(UdpExchange, idle_rank_hardly_uses_the_processor) {
  UdpCluster cluster(2);
  cluster.run_well([](UdpExchange& exchange) {
    talk(exchange, 1, 10);
    if (exchange.rank() == 0) {
      const auto before = std::clock();
      std::this_thread::sleep_for(500ms);
      const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
      EXPECT_LT(used, 0.15);  // a loop that spins would use 0.5 or more
    }
    talk(exchange, 1, 10);
    exchange.finish();
  });
}

}  // namespace
}  // namespace lbsp::transport
