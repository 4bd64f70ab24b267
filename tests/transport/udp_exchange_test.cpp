#include "transport/udp/udp_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/transport/udp_cluster.hpp"
#include "transport/error.hpp"
#include "transport/fixed_redundancy.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

Bytes message(Rank from, Rank to, int superstep, std::size_t size) {
  Bytes bytes(size);
  auto value = static_cast<std::uint32_t>(from * 1000 + to * 100 + superstep + 1);
  for (auto& byte : bytes) {
    value = value * 1664525 + 1013904223;
    byte = std::byte(value >> 24);
  }
  return bytes;
}

// Everyone sends everyone `bytes` per superstep and checks what comes.
void talk(Exchange& exchange, int supersteps, std::size_t bytes) {
  for (int superstep = 0; superstep < supersteps; ++superstep) {
    std::vector<Bytes> outgoing;
    for (Rank to = 0; to < exchange.size(); ++to) {
      outgoing.push_back(message(exchange.rank(), to, superstep, to == exchange.rank() ? 0 : bytes));
    }
    const auto incoming = exchange.exchange(std::move(outgoing));
    for (Rank from = 0; from < exchange.size(); ++from) {
      const auto expected = message(from, exchange.rank(), superstep, from == exchange.rank() ? 0 : bytes);
      if (incoming[static_cast<std::size_t>(from)] != expected) throw std::runtime_error("a wrong message");
    }
  }
}

void expect_error(const std::exception_ptr& error, const std::string& text) {
  ASSERT_TRUE(error);
  try {
    std::rethrow_exception(error);
  } catch (const Error& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr(text));
  }
}

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

TEST(UdpExchange, loss_of_everything_ends_in_peer_lost_that_names_the_address) {
  UdpCluster cluster(2, "loss=100%");
  cluster.job.options.peer_timeout = 400ms;
  const auto start = Clock::now();
  const auto errors = cluster.run([](UdpExchange& exchange) { talk(exchange, 1, 100); });
  EXPECT_LT(Clock::now() - start, 5s);
  for (const auto& error : errors)
    EXPECT_THROW(std::rethrow_exception(error), PeerLost);
  expect_error(errors[0], "rank 1 at " + to_string(cluster.job.addresses[1]));
}

TEST(UdpExchange, rank_that_leaves_without_a_word_is_lost_to_the_others) {
  UdpCluster cluster(3);
  cluster.job.options.peer_timeout = 400ms;
  const auto errors = cluster.run([](UdpExchange& exchange) {
    talk(exchange, 1, 100);
    if (exchange.rank() != 1) talk(exchange, 1, 100);
  });
  EXPECT_FALSE(errors[1]);
  expect_error(errors[0], "rank 1 at ");
  expect_error(errors[2], "rank 1 at ");
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

TEST(UdpExchange, abort_reaches_all_others_with_its_reason) {
  const auto start = Clock::now();
  const auto errors = UdpCluster(3, "loss=10%,rtt=4ms").run([](UdpExchange& exchange) {
    talk(exchange, 2, 100);
    if (exchange.rank() == 2) return exchange.abort("the matrix is singular");
    talk(exchange, 1, 100);
  });
  EXPECT_LT(Clock::now() - start, 5s);
  EXPECT_FALSE(errors[2]);
  for (const std::size_t other : {0u, 1u}) {
    EXPECT_THROW(std::rethrow_exception(errors[other]), Aborted);
    expect_error(errors[other], "the matrix is singular");
  }
}

TEST(UdpExchange, abort_from_another_thread_ends_the_own_waiting_call_too) {
  UdpCluster cluster(2);
  const auto errors = cluster.run([](UdpExchange& exchange) {
    talk(exchange, 1, 100);
    if (exchange.rank() == 1) std::this_thread::sleep_for(300ms);
    if (exchange.rank() == 0) {
      std::thread other([&] { exchange.abort("interrupted"); });
      try {
        talk(exchange, 1, 100);
      } catch (...) {
        other.join();
        throw;
      }
      other.join();
    }
    talk(exchange, 1, 100);
  });
  for (const auto& error : errors)
    expect_error(error, "interrupted");
}

TEST(UdpExchange, every_call_after_a_failure_throws_it_again) {
  UdpCluster cluster(2);
  cluster.run_well([](UdpExchange& exchange) {
    exchange.abort("enough");
    EXPECT_THROW(exchange.exchange(std::vector<Bytes>(2)), Aborted);
    EXPECT_THROW(exchange.finish(), Aborted);
  });
}

TEST(UdpExchange, too_large_a_message_is_an_error_of_its_sender_before_anything_is_sent) {
  UdpCluster cluster(2);
  cluster.job.options.max_message_bytes = 1000;
  cluster.run_well([](UdpExchange& exchange) {
    EXPECT_THROW(exchange.exchange({Bytes(1001), Bytes(1001)}), MessageTooLarge);
    talk(exchange, 1, 1000);
    exchange.finish();
  });
}

TEST(UdpExchange, wrong_arguments_are_errors) {
  UdpCluster(2).run_well([](UdpExchange& exchange) {
    EXPECT_THROW(exchange.exchange(std::vector<Bytes>(1)), UsageError);
    EXPECT_THROW(exchange.reply(std::vector<Bytes>(2), {exchange.rank()}, {}), UsageError);
    EXPECT_THROW(exchange.reply(std::vector<Bytes>(2), {}, {7}), UsageError);
  });
  UdpJob job;
  job.rank = 3;
  job.addresses.resize(2);
  EXPECT_THROW(UdpExchange(UdpPort::bind("127.0.0.1", 0), job), UsageError);
  job.rank = 0;
  job.addresses = {{"127.0.0.1", 1}, {"host.invalid", 1}};
  EXPECT_THROW(UdpExchange(UdpPort::bind("127.0.0.1", 0), job), SystemError);
}

TEST(UdpExchange, too_few_open_files_are_an_error_with_advice) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizers built with this one need files of their own when an exception is thrown";
#endif
  auto port = UdpPort::bind("127.0.0.1", 0);
  UdpJob job;
  job.addresses = {{"127.0.0.1", port.port()}};
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  std::string text;
  try {
    const UdpExchange exchange(std::move(port), job);
  } catch (const SystemError& error) {
    text = error.what();
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(text, HasSubstr("raise the limit of open files"));
}

TEST(UdpExchange, what_the_system_refuses_to_send_is_counted_and_ends_as_silence) {
  UdpCluster cluster(2);
  cluster.job.options.peer_timeout = 300ms;
  cluster.adjust = [](UdpJob& job) { job.addresses[static_cast<std::size_t>(1 - job.rank)].port = 0; };
  cluster.run_well([](UdpExchange& exchange) {
    EXPECT_THROW(talk(exchange, 1, 100), PeerLost);
    EXPECT_GT(exchange.losses().refused_by_system, 0u);
  });
}

TEST(UdpExchange, broken_socket_is_an_error_of_the_waiting_call_and_of_every_later_one) {
  auto port = UdpPort::bind("127.0.0.1", 0);
  const int handle = port.native_handle();
  UdpJob job;
  job.addresses = {{"127.0.0.1", port.port()}, {"127.0.0.1", 9}};
  UdpExchange exchange(std::move(port), job);
  const int other_file = open("/dev/null", O_RDWR | O_CLOEXEC);
  ASSERT_EQ(dup2(other_file, handle), handle);
  close(other_file);
  for (int call = 0; call < 2; ++call) {
    try {
      exchange.exchange(std::vector<Bytes>(2));
      ADD_FAILURE() << "the call returned";
    } catch (const SystemError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the UDP socket failed"));
    }
  }
  exchange.abort("too late");
}

TEST(UdpExchange, destructor_without_finish_is_prompt) {
  UdpCluster cluster(2, "rtt=20ms");
  const auto start = Clock::now();
  { const UdpExchange exchange(UdpPort::bind("127.0.0.1", 0), cluster.job); }
  EXPECT_LT(Clock::now() - start, 500ms);
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
    EXPECT_LE(*std::min_element(times.begin(), times.end()), 13ms);
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
