#include "transport/threads/threads_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Exchanges = std::vector<std::unique_ptr<Exchange>>;

Bytes message(std::size_t size, int value) {
  Bytes bytes(size);
  std::ranges::fill(bytes, static_cast<std::byte>(value));
  return bytes;
}

std::vector<Bytes> empty_messages(const Exchange& exchange) {
  return std::vector<Bytes>(static_cast<std::size_t>(exchange.size()));
}

/// Runs `program` with each exchange on a thread of its own, which destroys it; returns the errors' texts.
std::vector<std::string> run(Rank size, const std::function<void(Exchange&)>& program) {
  auto exchanges = make_threads_exchanges(size);
  std::vector<std::string> errors(exchanges.size());
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < exchanges.size(); ++rank) {
    threads.emplace_back([&, rank, exchange = std::move(exchanges[rank])]() mutable {
      try {
        program(*exchange);
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
      exchange.reset();
    });
  }
  threads.clear();
  return errors;
}

TEST(ThreadsExchange, brings_every_message_to_its_rank) {
  const auto errors = run(3, [&](Exchange& exchange) {
    auto outgoing = empty_messages(exchange);
    for (std::size_t to = 0; to < 3; ++to)
      outgoing[to] = message(1000 * to + 1, exchange.rank());
    const auto incoming = exchange.exchange(std::move(outgoing));
    for (Rank from = 0; from < 3; ++from) {
      const auto size = 1000 * static_cast<std::size_t>(exchange.rank()) + 1;
      EXPECT_EQ(incoming[static_cast<std::size_t>(from)],
                from == exchange.rank() ? Bytes() : message(size, from));
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST(ThreadsExchange, has_messages_read_where_they_were_written) {
  std::vector<std::vector<const std::byte*>> written(3, std::vector<const std::byte*>(3));
  std::vector<std::vector<const std::byte*>> read = written;
  const auto errors = run(3, [&](Exchange& exchange) {
    const auto mine = static_cast<std::size_t>(exchange.rank());
    for (Rank to = 0; to < 3; ++to) {
      if (to != exchange.rank())
        written[mine][static_cast<std::size_t>(to)] = exchange.lending()->room(to, 1000, 0).data();
    }
    const std::vector<std::size_t> lengths(3, 1000);
    const auto arrived = exchange.lending()->exchange(lengths, true, [] {});
    for (std::size_t from = 0; from < 3; ++from) {
      EXPECT_EQ(arrived[from].size(), from == mine ? 0U : 1000U);
      read[from][mine] = arrived[from].data();
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
  EXPECT_EQ(read, written);
}

TEST(ThreadsExchange, keeps_supersteps_apart_when_a_rank_is_ahead) {
  const auto errors = run(4, [](Exchange& exchange) {
    for (int step = 0; step < 300; ++step) {
      if (step % 4 == exchange.rank()) std::this_thread::yield();
      auto outgoing = empty_messages(exchange);
      for (auto& bytes : outgoing)
        bytes = message(1, step % 128);
      for (const auto& bytes : exchange.exchange(std::move(outgoing))) {
        if (!bytes.empty()) {
          ASSERT_EQ(static_cast<int>(bytes[0]), step % 128);
        }
      }
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(4));
}

TEST(ThreadsExchange, replies_only_between_the_pairs_that_agreed) {
  const auto errors = run(3, [](Exchange& exchange) {
    for (int step = 0; step < 50; ++step) {
      exchange.exchange(empty_messages(exchange));
      // Rank 0 answers rank 2; rank 1 takes no part.
      auto outgoing = empty_messages(exchange);
      if (exchange.rank() == 0) {
        outgoing[2] = message(10, step);
        exchange.reply(std::move(outgoing), {2}, {});
      } else if (exchange.rank() == 2) {
        EXPECT_EQ(exchange.reply(std::move(outgoing), {}, {0})[0], message(10, step));
      }
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST(ThreadsExchange, of_one_rank_is_a_world_of_one) {
  const auto errors = run(1, [](Exchange& exchange) {
    EXPECT_EQ(exchange.exchange(empty_messages(exchange)).size(), 1U);
    exchange.finish();
  });
  EXPECT_EQ(errors[0], "");
}

TEST(ThreadsExchange, counts_the_bytes_of_messages) {
  run(2, [](Exchange& exchange) {
    auto outgoing = empty_messages(exchange);
    const auto other = static_cast<std::size_t>(1 - exchange.rank());
    outgoing[other] = message(100 * (other + 1), 0);
    exchange.exchange(std::move(outgoing));
    EXPECT_EQ(exchange.counters().payload_bytes_sent, 100 * (other + 1));
    EXPECT_EQ(exchange.counters().payload_bytes_received, 100 * (2 - other));
    EXPECT_EQ(exchange.counters().datagrams_sent, 0U);
  });
}

TEST(ThreadsExchange, names_the_rank_that_left_while_others_wait) {
  const auto errors = run(4, [](Exchange& exchange) {
    exchange.exchange(empty_messages(exchange));
    if (exchange.rank() == 2) return;  // its exchange is destroyed
    exchange.exchange(empty_messages(exchange));
  });
  // Ranks that leave because of it are not blamed, whoever finds out last.
  for (const std::size_t rank : {0U, 1U, 3U}) {
    EXPECT_THAT(errors[rank], AllOf(HasSubstr("rank 2 has ended while rank " + std::to_string(rank)),
                                    HasSubstr("superstep 1")));
  }
}

TEST(ThreadsExchange, delivers_the_last_message_of_a_rank_that_has_finished) {
  const auto errors = run(2, [](Exchange& exchange) {
    if (exchange.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    exchange.exchange(empty_messages(exchange));
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(ThreadsExchange, wakes_those_that_wait_when_a_rank_aborts) {
  const auto errors = run(3, [](Exchange& exchange) {
    if (exchange.rank() == 1) {
      exchange.abort("disk full");
      exchange.abort("a second reason");
      return;
    }
    EXPECT_THROW(exchange.exchange(empty_messages(exchange)), Aborted);
    EXPECT_THROW(exchange.exchange(empty_messages(exchange)), Aborted);
    exchange.finish();
  });
  EXPECT_EQ(errors[0], "rank 1 ended the job: disk full");
  EXPECT_EQ(errors[2], "rank 1 ended the job: disk full");
}

TEST(ThreadsExchange, lets_another_thread_of_the_rank_abort_its_wait) {
  const auto errors = run(2, [](Exchange& exchange) {
    std::jthread other;
    if (exchange.rank() == 0) other = std::jthread([&] { exchange.abort("interrupted"); });
    for (;;)
      exchange.exchange(empty_messages(exchange));
  });
  EXPECT_EQ(errors, std::vector<std::string>(2, "rank 0 ended the job: interrupted"));
}

TEST(ThreadsExchange, refuses_a_job_without_ranks_and_messages_for_too_few) {
  EXPECT_THROW(make_threads_exchanges(0), UsageError);
  EXPECT_THROW(make_threads_exchanges(-3), UsageError);
  const auto exchanges = make_threads_exchanges(1);
  EXPECT_THROW(exchanges[0]->exchange({}), UsageError);
}

}  // namespace
}  // namespace lbsp::transport
