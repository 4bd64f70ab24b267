#include <algorithm>
#include <csignal>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/transport/shared_memory/shared_memory_job.hpp"
#include "transport/error.hpp"

namespace lbsp::transport::shared_memory {
namespace {

using ::testing::HasSubstr;

/// An exchange of lent memory, in which each rank sends the others a number. Returns what the other of two has sent.
std::uint64_t exchange_number(Exchange& exchange, std::uint64_t number) {
  Lending& lending = *exchange.lending();
  const Rank other = 1 - exchange.rank();
  std::memcpy(lending.room(other, sizeof(number), 0).data(), &number, sizeof(number));
  const auto arrived = lending.exchange(std::vector<std::size_t>(2, sizeof(number)), false, [] {});
  std::memcpy(&number, arrived[static_cast<std::size_t>(other)].data(), sizeof(number));
  return number;
}

/// Of which each knows that it can fetch from the other.
void get_acquainted(Exchange& exchange) {
  for (int step = 0; step < 2; ++step)
    exchange_number(exchange, 0);
}

TEST(SharedMemoryOffers, fetches_what_the_other_process_offers_before_it_changes) {
  const Job job{.size = 2};
  constexpr std::uint64_t steps = 50;
  const auto bytes_of = [](std::uint64_t step) { return (std::size_t{1} << 20) + step * step * 1009; };
  const Processes processes(job, [&](Exchange& exchange) {
    get_acquainted(exchange);
    Bytes into(bytes_of(steps));
    for (std::uint64_t step = 0; step < steps; ++step) {
      const std::uint64_t address = exchange_number(exchange, 0);
      const auto part = std::span(into).first(bytes_of(step));
      exchange.lending()->fetch(0, address, part);
      const bool right = std::ranges::count(part, static_cast<std::byte>(step)) == std::ssize(part);
      if (!right) exchange.abort("these are other bytes");
      exchange.lending()->settle(Lending::Leg::first, std::vector<Rank>{0}, {});
    }
    exchange.finish();
  });
  const auto exchange = job.join(0);
  Bytes source(bytes_of(steps));
  EXPECT_EQ(exchange->lending()->least_offer(1), std::numeric_limits<std::size_t>::max())
      << "nobody knows whether it can be fetched";
  get_acquainted(*exchange);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto part = std::span(source).first(bytes_of(step));
    std::ranges::fill(part, static_cast<std::byte>(step));
    ASSERT_GE(part.size(), exchange->lending()->least_offer(1));
    exchange_number(*exchange, exchange->lending()->offer(1, part));
    exchange->lending()->settle(Lending::Leg::first, {}, std::vector<Rank>{1});
    std::ranges::fill(part, std::byte{0xff});
  }
  exchange->finish();
}

TEST(SharedMemoryOffers, names_the_rank_that_was_killed_before_its_offer_was_fetched) {
  const Job job{.size = 2};
  const Bytes source(100'000);
  const Processes processes(job, [&](Exchange& exchange) {
    get_acquainted(exchange);
    exchange_number(exchange, exchange.lending()->offer(0, source));
    ::raise(SIGKILL);
  });
  const auto exchange = job.join(0);
  get_acquainted(*exchange);
  const std::uint64_t address = exchange_number(*exchange, 0);
  siginfo_t ended{};
  ::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
  Bytes into(source.size());
  try {
    exchange->lending()->fetch(1, address, into);
    FAIL() << "no error";
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.rank(), 1);
  }
}

TEST(SharedMemoryOffers, says_whose_memory_is_no_longer_there) {
  const auto errors = run({.size = 2}, [](Exchange& exchange) {
    get_acquainted(exchange);
    const std::uint64_t address = exchange_number(exchange, 16);
    Bytes into(100'000);
    if (exchange.rank() == 0) exchange.lending()->fetch(1, address, into);
    exchange.lending()->settle(Lending::Leg::first, {}, std::vector<Rank>(exchange.rank() == 1 ? 1 : 0, 0));
  });
  EXPECT_THAT(errors[0], HasSubstr("100000 bytes that rank 1 has offered in superstep 2 cannot be read"));
  EXPECT_THAT(errors[1], HasSubstr("rank 0 has ended"));
}

TEST(Reach, is_believed_only_where_the_other_process_has_its_proof) {
  const Job job{.size = 2};
  const Mapping memory(job.file, 0, job.geometry.board_bytes(), true);
  const Board board(memory.memory(), job.size);
  const OtherProcesses here(board, 0);
  const OtherProcesses there(board, 1);
  const std::vector<Rank> others{1};
  EXPECT_TRUE(here.try_all(others));
  board.seat(1).proof[0] ^= std::byte{1};
  EXPECT_FALSE(here.try_all(others));
  board.seat(1).proof[0] ^= std::byte{1};
  board.seat(1).process = std::numeric_limits<std::int32_t>::max();
  EXPECT_FALSE(here.try_all(others));
}

TEST(SharedMemoryOffers, counts_offers_among_what_a_rank_may_send) {
  const Job job{.size = 2};
  const Bytes half(most_message_bytes / 2);
  const Processes processes(job, [&](Exchange& exchange) {
    get_acquainted(exchange);
    exchange_number(exchange, 0);
    ::pause();
  });
  const auto exchange = job.join(0);
  get_acquainted(*exchange);
  exchange->lending()->offer(1, half);
  exchange_number(*exchange, 0);
  exchange->lending()->offer(1, half);  // of the next superstep
  EXPECT_THROW(exchange->lending()->room(1, most_message_bytes / 2 + 1, 0), MessageTooLarge);
  EXPECT_THROW(exchange->lending()->offer(1, Bytes(most_message_bytes / 2 + 1)), MessageTooLarge);
}

}  // namespace
}  // namespace lbsp::transport::shared_memory
