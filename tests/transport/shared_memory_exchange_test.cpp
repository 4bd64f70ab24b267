#include "transport/shared_memory/shared_memory_exchange.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using shared_memory::Geometry;
using shared_memory::SegmentFile;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t most_message_bytes = std::uint64_t{64} << 20;

struct Job {
  Rank size;
  std::optional<Duration> peer_timeout = std::chrono::seconds{20};
  int processors = 1;
  Geometry geometry = Geometry::of(size, most_message_bytes);
  SegmentFile file = SegmentFile::create(geometry);

  std::unique_ptr<Exchange> join(Rank rank) const {
    return std::make_unique<SharedMemoryExchange>(
        open_segment(file.again(), geometry, rank),
        shared_memory::LinksConfig{
            .self = rank, .place = " on node4", .processors = processors, .peer_timeout = peer_timeout},
        size, most_message_bytes);
  }
};

using Program = std::function<void(Exchange&)>;

/// Each rank on a thread, but with mappings of its own, as a process has them. Returns the errors' texts.
std::vector<std::string> run(const Job& job, const Program& program) {
  std::vector<std::string> errors(static_cast<std::size_t>(job.size));
  std::vector<std::jthread> threads;
  threads.reserve(errors.size());
  for (Rank rank = 0; rank < job.size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto exchange = job.join(rank);
        program(*exchange);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  threads.clear();
  return errors;
}

/// Ranks from 1 on are processes; rank 0 is this one.
class Processes {
 public:
  Processes(const Job& job, const Program& program) {
    for (Rank rank = 1; rank < job.size; ++rank) {
      const pid_t child = ::fork();
      if (child == 0) {
        try {
          program(*job.join(rank));
        } catch (const std::exception&) {
        }
        ::_exit(0);
      }
      children_.push_back(child);
    }
  }
  ~Processes() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  void signal(Rank rank, int number) const { ::kill(children_[static_cast<std::size_t>(rank) - 1], number); }

 private:
  std::vector<pid_t> children_;
};

Bytes message(std::size_t size, int value) {
  Bytes bytes(size);
  std::ranges::fill(bytes, static_cast<std::byte>(value));
  return bytes;
}

std::vector<Bytes> empty_messages(const Exchange& exchange) {
  return std::vector<Bytes>(static_cast<std::size_t>(exchange.size()));
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

TEST(SharedMemoryExchange, names_a_rank_that_ended_while_others_wait) {
  const auto errors = run({.size = 4}, [](Exchange& exchange) {
    exchange.exchange(empty_messages(exchange));
    if (exchange.rank() == 2) return;
    exchange.exchange(empty_messages(exchange));
  });
  for (const std::size_t rank : {0U, 1U, 3U}) {
    EXPECT_THAT(errors[rank], AllOf(HasSubstr("rank 2 has ended while rank " + std::to_string(rank)),
                                    HasSubstr("superstep 1")));
  }
}

TEST(SharedMemoryExchange, does_not_mind_ranks_that_have_finished_while_it_waits_for_a_late_one) {
  // Ranks 0 and 2 await it first or last.
  const auto errors =
      run({.size = 3, .peer_timeout = std::chrono::milliseconds{300}}, [](Exchange& exchange) {
        if (exchange.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds{400});
        exchange.exchange(empty_messages(exchange));
        exchange.finish();
      });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST(SharedMemoryExchange, delivers_what_a_rank_sent_before_it_was_killed) {
  const Job job{.size = 2};
  const Processes processes(job, [](Exchange& exchange) {
    auto outgoing = empty_messages(exchange);
    outgoing[0] = message(100'000, 7);
    exchange.exchange(std::move(outgoing));
    ::raise(SIGKILL);
  });
  const auto exchange = job.join(0);
  EXPECT_EQ(exchange->exchange(empty_messages(*exchange))[1], message(100'000, 7));
}

TEST(SharedMemoryExchange, learns_of_a_killed_rank_from_whoever_watches_its_process) {
  const Job job{.size = 3};
  const Processes processes(job, [](Exchange& exchange) {
    for (;;)
      exchange.exchange(empty_messages(exchange));
  });
  const auto exchange = job.join(0);
  exchange->exchange(empty_messages(*exchange));
  processes.signal(2, SIGKILL);
  const shared_memory::Mapping watcher(job.file, 0, job.geometry.board_bytes(), true);
  std::jthread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    shared_memory::Board(watcher.memory(), job.size).lose(2);
  });
  try {
    for (;;)
      exchange->exchange(empty_messages(*exchange));
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.rank(), 2);
  }
}

TEST(SharedMemoryExchange, gives_up_a_rank_whose_process_is_stopped) {
  const Job job{.size = 3, .peer_timeout = std::chrono::milliseconds{400}};
  const Processes processes(job, [](Exchange& exchange) {
    for (;;)
      exchange.exchange(empty_messages(exchange));
  });
  const auto exchange = job.join(0);
  exchange->exchange(empty_messages(*exchange));
  processes.signal(1, SIGSTOP);
  try {
    for (;;)
      exchange->exchange(empty_messages(*exchange));
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.rank(), 1);
    EXPECT_THAT(lost.what(), HasSubstr("rank 1 on node4 was last heard 0."));
  }
}

TEST(SharedMemoryExchange, waits_for_a_rank_that_computes_for_longer_than_the_peer_timeout) {
  const auto errors =
      run({.size = 2, .peer_timeout = std::chrono::milliseconds{400}}, [](Exchange& exchange) {
        if (exchange.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds{700});
        exchange.exchange(empty_messages(exchange));
        exchange.finish();
      });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(SharedMemoryExchange, wakes_those_that_wait_when_a_rank_aborts) {
  const auto errors = run({.size = 3}, [](Exchange& exchange) {
    if (exchange.rank() == 1) {
      exchange.abort("disk\nfull");
      exchange.abort("a second reason");
      return;
    }
    EXPECT_THROW(exchange.exchange(empty_messages(exchange)), Aborted);
    exchange.finish();
  });
  EXPECT_EQ(errors[0], "rank 1 ended the job: disk full");
  EXPECT_EQ(errors[2], "rank 1 ended the job: disk full");
}

/// An exchange of lent memory, in which each rank sends the others a number. Returns what the other of two has sent.
std::uint64_t exchange_number(Exchange& exchange, std::uint64_t number) {
  Lending& lending = *exchange.lending();
  const Rank other = 1 - exchange.rank();
  std::memcpy(lending.room(other, sizeof(number), 0).data(), &number, sizeof(number));
  const auto arrived = lending.exchange(std::vector<std::size_t>(2, sizeof(number)), false);
  std::memcpy(&number, arrived[static_cast<std::size_t>(other)].data(), sizeof(number));
  return number;
}

/// Of which each knows that it can fetch from the other.
void get_acquainted(Exchange& exchange) {
  for (int step = 0; step < 2; ++step)
    exchange_number(exchange, 0);
}

TEST(SharedMemoryExchange, fetches_what_the_other_process_offers_before_it_changes) {
  const Job job{.size = 2};
  constexpr std::uint64_t steps = 50;
  const auto bytes_of = [](std::uint64_t step) { return (std::size_t{64} << 10) + step * step * 1009; };
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

TEST(SharedMemoryExchange, names_the_rank_that_was_killed_before_its_offer_was_fetched) {
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

TEST(SharedMemoryExchange, says_whose_memory_is_no_longer_there) {
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
  const shared_memory::Mapping memory(job.file, 0, job.geometry.board_bytes(), true);
  const shared_memory::Board board(memory.memory(), job.size);
  const shared_memory::OtherProcesses here(board, 0);
  const shared_memory::OtherProcesses there(board, 1);
  const std::vector<Rank> others{1};
  EXPECT_TRUE(here.try_all(others));
  board.seat(1).proof[0] ^= std::byte{1};
  EXPECT_FALSE(here.try_all(others));
  board.seat(1).proof[0] ^= std::byte{1};
  board.seat(1).process = std::numeric_limits<std::int32_t>::max();
  EXPECT_FALSE(here.try_all(others));
}

TEST(SharedMemoryExchange, refuses_a_message_above_the_ceiling) {
  const Job job{.size = 2};
  const auto exchange = job.join(0);
  auto outgoing = empty_messages(*exchange);
  outgoing[1] = Bytes(most_message_bytes + 1);
  EXPECT_THROW(exchange->exchange(std::move(outgoing)), MessageTooLarge);
}

TEST(SharedMemoryExchange, counts_offers_among_what_a_rank_may_send) {
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

TEST(SharedMemoryExchange, believes_no_length_that_a_rank_cannot_have_sent) {
  const Job job{.size = 2};
  const auto exchange = job.join(0);
  const shared_memory::Mapping meddler(job.file, 0, job.geometry.board_bytes(), true);
  auto& cell = shared_memory::Board(meddler.memory(), job.size).cell(0, 1, shared_memory::Slot::even);
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
}  // namespace lbsp::transport
