#include "transport/simulated/simulated_job.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

SimulatedJobConfig job(Rank size, std::string_view wan, std::uint64_t seed = 1) {
  SimulatedJobConfig config;
  config.network.size = size;
  config.network.wan = parse_wan_spec(wan);
  config.network.seed = seed;
  config.network.options.peer_timeout = 5s;
  return config;
}

Bytes bytes_of(int value) {
  return Bytes(3, std::byte(value));
}

// Everyone tells everyone a number per superstep; checks what came.
void talk(Exchange& exchange, int supersteps) {
  for (int superstep = 0; superstep < supersteps; ++superstep) {
    std::vector<Bytes> outgoing(static_cast<std::size_t>(exchange.size()),
                                bytes_of(superstep + 16 * exchange.rank()));
    const auto incoming = exchange.exchange(std::move(outgoing));
    for (Rank from = 0; from < exchange.size(); ++from) {
      const auto& message = incoming[static_cast<std::size_t>(from)];
      if (from == exchange.rank() ? !message.empty() : message != bytes_of(superstep + 16 * from)) {
        throw std::runtime_error("a wrong message");
      }
    }
  }
}

TEST(SimulatedJob, blocking_programs_exchange_supersteps_and_end_orderly) {
  const auto outcome = run_simulated(job(4, "loss=10%,rtt=20ms"), [](SimulatedExchange& exchange) {
    talk(exchange, 10);
    exchange.finish();
    EXPECT_EQ(exchange.counters().payload_bytes_received, 90u);
  });
  outcome.rethrow_first_error();
  EXPECT_GE(outcome.elapsed, 100ms);
  EXPECT_GT(outcome.deliveries, 120u);
}

TEST(SimulatedJob, replies_go_only_between_the_pairs_that_agreed) {
  const auto outcome = run_simulated(job(3, "rtt=2ms"), [](SimulatedExchange& exchange) {
    talk(exchange, 1);
    std::vector<Bytes> outgoing(3);
    std::vector<Bytes> incoming;
    if (exchange.rank() == 0) {
      outgoing[1] = bytes_of(77);
      incoming = exchange.reply(std::move(outgoing), {1}, {});
    } else if (exchange.rank() == 1) {
      incoming = exchange.reply(std::move(outgoing), {}, {0});
      EXPECT_EQ(incoming[0], bytes_of(77));
    }
    talk(exchange, 2);
    exchange.finish();
  });
  outcome.rethrow_first_error();
}

TEST(SimulatedJob, virtual_time_is_seen_by_the_program_and_stands_still_while_it_computes) {
  run_simulated(job(2, "rtt=20ms"), [](SimulatedExchange& exchange) {
    const auto start = exchange.now();
    talk(exchange, 1);
    EXPECT_EQ(exchange.now() - start, 10ms);
    EXPECT_EQ(exchange.now() - start, 10ms);
    exchange.finish();
  }).rethrow_first_error();
}

TEST(SimulatedJob, same_seed_gives_the_same_trace) {
  const auto trace = [](std::uint64_t seed) {
    const auto outcome =
        run_simulated(job(5, "loss=20%,rtt=20ms,jitter=3ms", seed), [](SimulatedExchange& exchange) {
          talk(exchange, 5);
          exchange.finish();
        });
    outcome.rethrow_first_error();
    return outcome.trace_hash;
  };
  EXPECT_EQ(trace(3), trace(3));
  EXPECT_NE(trace(3), trace(4));
}

TEST(SimulatedJob, rank_that_ends_while_others_wait_is_lost_to_them_in_virtual_time) {
  const auto outcome = run_simulated(job(3, "rtt=20ms"), [](SimulatedExchange& exchange) {
    talk(exchange, 1);
    if (exchange.rank() != 1) talk(exchange, 1);
  });
  EXPECT_FALSE(outcome.errors[1]);
  for (const std::size_t waiting : {0u, 2u}) {
    ASSERT_TRUE(outcome.errors[waiting]);
    try {
      std::rethrow_exception(outcome.errors[waiting]);
    } catch (const PeerLost& error) {
      EXPECT_EQ(error.rank(), 1);
    }
  }
  EXPECT_GE(outcome.elapsed, 5s);
  EXPECT_LE(outcome.elapsed, 10s);
}

TEST(SimulatedJob, abort_reaches_all_others_with_its_reason) {
  const auto outcome = run_simulated(job(3, "loss=20%,rtt=20ms"), [](SimulatedExchange& exchange) {
    talk(exchange, 2);
    if (exchange.rank() == 2) {
      exchange.abort("the matrix is singular");
      throw std::runtime_error("ended");
    }
    talk(exchange, 1);
  });
  for (const std::size_t other : {0u, 1u}) {
    ASSERT_TRUE(outcome.errors[other]);
    try {
      std::rethrow_exception(outcome.errors[other]);
    } catch (const Aborted& error) {
      EXPECT_THAT(error.what(), HasSubstr("the matrix is singular"));
      EXPECT_THAT(error.what(), HasSubstr("rank 2"));
    }
  }
  EXPECT_LT(outcome.elapsed, 2s);
}

TEST(SimulatedJob, passing_the_bound_of_virtual_time_is_an_error_of_the_waiting_ranks) {
  auto config = job(2, "loss=100%");
  config.time_bound = 1s;
  const auto outcome = run_simulated(config, [](SimulatedExchange& exchange) { talk(exchange, 1); });
  for (const auto& error : outcome.errors) {
    ASSERT_TRUE(error);
    EXPECT_THROW(std::rethrow_exception(error), Error);
  }
}

TEST(SimulatedJob, wrong_arguments_are_errors_of_the_caller_alone) {
  run_simulated(job(2, "rtt=2ms"), [](SimulatedExchange& exchange) {
    EXPECT_THROW(exchange.exchange(std::vector<Bytes>(3)), UsageError);
    talk(exchange, 1);
    const auto reply_between = [&](const std::vector<Rank>& destinations, const std::vector<Rank>& sources) {
      exchange.reply(std::vector<Bytes>(2), destinations, sources);
    };
    EXPECT_THROW(reply_between({exchange.rank()}, {}), UsageError);
    EXPECT_THROW(reply_between({}, {2}), UsageError);
    const Rank other = 1 - exchange.rank();
    EXPECT_THROW(reply_between({other, other}, {}), UsageError);
    exchange.finish();
  }).rethrow_first_error();
}

TEST(SimulatedJob, job_of_one_rank_needs_no_network) {
  run_simulated(job(1, "loss=100%"), [](SimulatedExchange& exchange) {
    talk(exchange, 3);
    exchange.finish();
  }).rethrow_first_error();
}

TEST(SimulatedJob, runs_many_threads_that_each_block) {
  std::atomic<int> ended = 0;
  run_simulated(job(60, "loss=5%,rtt=20ms"), [&](SimulatedExchange& exchange) {
    exchange.exchange(std::vector<Bytes>(60));
    exchange.exchange(std::vector<Bytes>(60));
    exchange.finish();
    ++ended;
  }).rethrow_first_error();
  EXPECT_EQ(ended, 60);
}

}  // namespace
}  // namespace lbsp::transport
