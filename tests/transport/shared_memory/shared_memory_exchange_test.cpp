#include "transport/shared_memory/shared_memory_exchange.hpp"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/transport/shared_memory/shared_memory_job.hpp"
#include "transport/error.hpp"

namespace lbsp::transport::shared_memory {
namespace {

using ::testing::HasSubstr;

std::array<std::byte, Lending::alike_bytes> alike_message(int value) {
  std::array<std::byte, Lending::alike_bytes> bytes{};
  bytes.fill(static_cast<std::byte>(value));
  return bytes;
}

/// All ranks know what each sends to each in each superstep.
Bytes expected(std::uint64_t step, Rank from, Rank to, std::size_t most) {
  std::mt19937_64 random(step * 10007 + static_cast<std::uint64_t>(from * 101 + to));
  const std::size_t size = (random() % 4 == 0) ? random() % most : random() % 300;
  return message(size, static_cast<int>(random() % 256));
}

void exchange_random_sizes(Exchange& exchange, std::uint64_t steps, std::size_t most) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    auto outgoing = empty_messages(exchange);
    for (Rank to = 0; to < exchange.size(); ++to) {
      if (to != exchange.rank())
        outgoing[static_cast<std::size_t>(to)] = expected(step, exchange.rank(), to, most);
    }
    const auto incoming = exchange.exchange(std::move(outgoing));
    for (Rank from = 0; from < exchange.size(); ++from) {
      if (from == exchange.rank()) continue;
      ASSERT_EQ(incoming[static_cast<std::size_t>(from)], expected(step, from, exchange.rank(), most));
    }
  }
}

TEST(SharedMemoryExchange, brings_messages_of_all_sizes_whole) {
  const auto errors = run({.size = 4}, [](Exchange& exchange) {
    exchange_random_sizes(exchange, 300, 200'000);
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(4));
}

TEST(SharedMemoryExchange, brings_them_where_each_rank_has_a_processor) {
  const auto errors = run({.size = 2, .processors = 2}, [](Exchange& exchange) {
    exchange_random_sizes(exchange, 2000, 5'000);
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(SharedMemoryExchange, brings_one_message_for_all_between_others_of_any_size) {
  constexpr std::size_t most = 3'000'000;  // so large that rooms are given back
  const auto errors = run({.size = 3}, [](Exchange& exchange) {
    const auto sends_alike = [](std::uint64_t step, Rank from) {
      return (step / 3 + static_cast<std::uint64_t>(from)) % 4 != 0;
    };
    const auto alike = [](std::uint64_t step, Rank from) {
      return alike_message(static_cast<int>(step) + from);
    };
    Lending& lending = *exchange.lending();
    for (std::uint64_t step = 0; step < 400; ++step) {
      const auto sends = [&](Rank from, Rank to) {
        if (!sends_alike(step, from)) return expected(step, from, to, most);
        const auto same = alike(step, from);
        return Bytes(same.begin(), same.end());
      };
      std::vector<std::size_t> lengths(3);
      for (Rank to = 0; to < 3; ++to) {
        if (to == exchange.rank()) continue;
        const Bytes bytes = sends(exchange.rank(), to);
        lengths[static_cast<std::size_t>(to)] = bytes.size();
        std::ranges::copy(bytes, lending.room(to, bytes.size(), 0).begin());
      }
      int deeds = 0;
      const auto arrived = sends_alike(step, exchange.rank())
                               ? lending.exchange_alike(alike(step, exchange.rank()), [&] { ++deeds; })
                               : lending.exchange(lengths, false, [&] { ++deeds; });
      ASSERT_EQ(deeds, 1);
      for (Rank from = 0; from < 3; ++from) {
        if (from == exchange.rank()) continue;
        ASSERT_TRUE(
            std::ranges::equal(arrived[static_cast<std::size_t>(from)], sends(from, exchange.rank())));
      }
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST(SharedMemoryExchange, counts_nothing_of_a_superstep_before_the_deed) {
  const auto errors = run({.size = 2}, [](Exchange& exchange) {
    for (std::uint64_t step = 0; step < 10; ++step) {
      TrafficCounters before;
      exchange.lending()->exchange_alike(alike_message(1), [&] { before = exchange.counters(); });
      EXPECT_EQ(before.payload_bytes_sent, 32 * step);
      EXPECT_EQ(before.payload_bytes_received, 32 * step);
    }
    EXPECT_EQ(exchange.counters().payload_bytes_sent, 320U);
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(SharedMemoryExchange, gives_memory_back_while_nothing_is_sent) {
  const Job job{.size = 2};
  const auto errors = run(job, [&job](Exchange& exchange) {
    struct stat status {};
    exchange.lending()->room(1 - exchange.rank(), std::size_t{32} << 20, 0);
    exchange.lending()->exchange(std::vector<std::size_t>(2, std::size_t{32} << 20), false, [] {});
    ASSERT_EQ(::fstat(job.file.descriptor(), &status), 0);
    EXPECT_GE(status.st_blocks * 512, std::int64_t{32} << 20);
    for (int step = 0; step < 100; ++step)
      exchange.lending()->exchange_alike(alike_message(1), [] {});
    ASSERT_EQ(::fstat(job.file.descriptor(), &status), 0);
    EXPECT_LE(status.st_blocks * 512, std::int64_t{12} << 20);
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(SharedMemoryExchange, brings_them_between_processes) {
  const Job job{.size = 3};
  const auto program = [](Exchange& exchange) {
    exchange_random_sizes(exchange, 300, 100'000);
    exchange.finish();
  };
  const Processes processes(job, program);
  program(*job.join(0));
}

TEST(SharedMemoryExchange, replies_only_between_the_pairs_that_agreed) {
  const auto errors = run({.size = 3}, [](Exchange& exchange) {
    for (int step = 0; step < 100; ++step) {
      exchange.exchange(empty_messages(exchange));
      // Rank 0 answers rank 2; rank 1 takes no part.
      auto outgoing = empty_messages(exchange);
      if (exchange.rank() == 0) {
        outgoing[2] = message(10 + 1000 * static_cast<std::size_t>(step % 3), step);
        exchange.reply(std::move(outgoing), {2}, {});
      } else if (exchange.rank() == 2) {
        EXPECT_EQ(exchange.reply(std::move(outgoing), {}, {0})[0],
                  message(10 + 1000 * static_cast<std::size_t>(step % 3), step));
      }
    }
    exchange.finish();
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST(SharedMemoryExchange, refuses_a_message_above_the_ceiling) {
  const Job job{.size = 2};
  const auto exchange = job.join(0);
  auto outgoing = empty_messages(*exchange);
  outgoing[1] = Bytes(most_message_bytes + 1);
  EXPECT_THROW(exchange->exchange(std::move(outgoing)), MessageTooLarge);
}

TEST(SharedMemoryExchange, believes_no_length_that_a_rank_cannot_have_sent) {
  const Job job{.size = 2};
  const auto exchange = job.join(0);
  const Mapping meddler(job.file, 0, job.geometry.board_bytes(), true);
  auto& cell = Board(meddler.memory(), job.size).cell(0, 1, Slot::even);
  cell.bytes = most_message_bytes + 4097;
  cell.sequence.store(1);
  try {
    exchange->exchange(empty_messages(*exchange));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1 tells of a message of 67112961 bytes"));
  }
}

TEST(SharedMemoryExchange, gives_memory_back_after_a_large_message) {
  const Job job{.size = 2};
  const auto used = [&] {
    struct stat status {};
    ::fstat(job.file.descriptor(), &status);
    return static_cast<std::size_t>(status.st_blocks) * 512;
  };
  run(job, [&](Exchange& exchange) {
    auto outgoing = empty_messages(exchange);
    outgoing[static_cast<std::size_t>(1 - exchange.rank())] = message(40 << 20, 1);
    exchange.exchange(std::move(outgoing));
    if (exchange.rank() == 0) {
      EXPECT_GT(used(), std::size_t{40} << 20);
    }
    for (int step = 0; step < 60; ++step) {
      outgoing = empty_messages(exchange);
      outgoing[static_cast<std::size_t>(1 - exchange.rank())] = message(1000, 2);
      exchange.exchange(std::move(outgoing));
    }
    exchange.finish();
  });
  EXPECT_LT(used(), std::size_t{12} << 20);
}

}  // namespace
}  // namespace lbsp::transport::shared_memory
