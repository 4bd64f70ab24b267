#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "tests/transport/shared_memory/shared_memory_job.hpp"
#include "transport/error.hpp"

/// Ranks of one host that end, are killed or stopped, or are only late.
namespace lbsp::transport::shared_memory {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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
  const Mapping watcher(job.file, 0, job.geometry.board_bytes(), true);
  std::jthread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    Board(watcher.memory(), job.size).lose(2);
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

}  // namespace
}  // namespace lbsp::transport::shared_memory
