// What ends an exchange over UDP: peers that are lost, aborts, wrong calls, and the system's refusals.
#include <atomic>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/slowness.hpp"
#include "tests/transport/udp/udp_cluster.hpp"
#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ::testing::HasSubstr;

void expect_error(const std::exception_ptr& error, const std::string& text) {
  ASSERT_TRUE(error);
  try {
    std::rethrow_exception(error);
  } catch (const Error& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr(text));
  }
}

TEST(UdpFailures, loss_of_everything_ends_in_peer_lost_that_names_the_address) {
  UdpCluster cluster(2, "loss=100%");
  cluster.job.options.peer_timeout = 400ms;
  const auto start = Clock::now();
  const auto errors = cluster.run([](UdpExchange& exchange) { talk(exchange, 1, 100); });
  EXPECT_LT(Clock::now() - start, 5s * test::slowness());
  for (const auto& error : errors)
    EXPECT_THROW(std::rethrow_exception(error), PeerLost);
  expect_error(errors[0], "rank 1 at " + to_string(cluster.job.addresses[1]));
}

TEST(UdpFailures, rank_that_leaves_without_a_word_is_lost_to_the_others) {
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

TEST(UdpFailures, abort_reaches_all_others_with_its_reason) {
  const auto start = Clock::now();
  const auto errors = UdpCluster(3, "loss=10%,rtt=4ms").run([](UdpExchange& exchange) {
    talk(exchange, 2, 100);
    if (exchange.rank() == 2) return exchange.abort("the matrix is singular");
    talk(exchange, 1, 100);
  });
  EXPECT_LT(Clock::now() - start, 5s * test::slowness());
  EXPECT_FALSE(errors[2]);
  for (const std::size_t other : {0u, 1u}) {
    EXPECT_THROW(std::rethrow_exception(errors[other]), Aborted);
    expect_error(errors[other], "the matrix is singular");
  }
}

TEST(UdpFailures, abort_from_another_thread_ends_the_own_waiting_call_too) {
  UdpCluster cluster(2);
  const auto errors = cluster.run([](UdpExchange& exchange) {
    talk(exchange, 1, 100);
    if (exchange.rank() == 1) std::this_thread::sleep_for(300ms);
    if (exchange.rank() == 0) {
      const std::jthread other([&] { exchange.abort("interrupted"); });
      talk(exchange, 1, 100);
    }
    talk(exchange, 1, 100);
  });
  for (const auto& error : errors)
    expect_error(error, "interrupted");
}

TEST(UdpFailures, abort_from_another_thread_is_not_put_off_by_one_call_after_the_other) {
  const auto errors = UdpCluster(2).run([](UdpExchange& exchange) {
    std::jthread other;
    if (exchange.rank() == 0) other = std::jthread([&] { exchange.abort("enough of it"); });
    for (int superstep = 0; superstep < 1'000'000; ++superstep)
      exchange.exchange(std::vector<Bytes>(2));
  });
  for (const auto& error : errors)
    expect_error(error, "enough of it");
}

UdpExchange* aborted_by_a_signal = nullptr;
std::atomic<bool> signal_came = false;

TEST(UdpFailures, abort_in_a_signal_s_handler_during_a_call_reaches_the_others) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "it holds that handlers allocate no memory, as they do at a program's end";
#endif
  signal_came = false;
  const auto before = std::signal(SIGUSR1, [](int) {
    aborted_by_a_signal->abort("given up");
    signal_came = true;
  });
  const auto errors = UdpCluster(2).run([](UdpExchange& exchange) {
    talk(exchange, 1, 100);
    if (exchange.rank() == 1) {
      while (!signal_came)
        std::this_thread::sleep_for(1ms);
      return talk(exchange, 1, 100);
    }
    aborted_by_a_signal = &exchange;
    const std::jthread other([waiting = ::pthread_self()] {
      std::this_thread::sleep_for(50ms);
      ::pthread_kill(waiting, SIGUSR1);
    });
    talk(exchange, 1, 100);
  });
  std::signal(SIGUSR1, before);
  for (const auto& error : errors)
    expect_error(error, "given up");
}

TEST(UdpFailures, every_call_after_a_failure_throws_it_again) {
  UdpCluster cluster(2);
  cluster.run_well([](UdpExchange& exchange) {
    exchange.abort("enough");
    EXPECT_THROW(exchange.exchange(std::vector<Bytes>(2)), Aborted);
    EXPECT_THROW(exchange.finish(), Aborted);
  });
}

TEST(UdpFailures, too_large_a_message_is_an_error_of_its_sender_before_anything_is_sent) {
  UdpCluster cluster(2);
  cluster.job.options.max_message_bytes = 1000;
  cluster.run_well([](UdpExchange& exchange) {
    EXPECT_THROW(exchange.exchange({Bytes(1001), Bytes(1001)}), MessageTooLarge);
    EXPECT_THROW(exchange.check_message(1 - exchange.rank(), 1001), MessageTooLarge);
    EXPECT_NO_THROW(exchange.check_message(1 - exchange.rank(), 1000));
    talk(exchange, 1, 1000);
    exchange.finish();
  });
}

TEST(UdpFailures, wrong_arguments_are_errors) {
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

TEST(UdpFailures, too_few_open_files_are_an_error_with_advice) {
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

TEST(UdpFailures, what_the_system_refuses_to_send_is_counted_and_ends_as_silence) {
  UdpCluster cluster(2);
  cluster.job.options.peer_timeout = 300ms;
  cluster.adjust = [](UdpJob& job) { job.addresses[static_cast<std::size_t>(1 - job.rank)].port = 0; };
  cluster.run_well([](UdpExchange& exchange) {
    EXPECT_THROW(talk(exchange, 1, 100), PeerLost);
    EXPECT_GT(exchange.losses().refused_by_system, 0u);
  });
}

TEST(UdpFailures, broken_socket_is_an_error_of_the_waiting_call_and_of_every_later_one) {
  auto port = UdpPort::bind("127.0.0.1", 0);
  const int handle = port.native_handle();
  UdpJob job;
  job.addresses = {{"127.0.0.1", port.port()}, {"127.0.0.1", 9}};
  UdpExchange exchange(std::move(port), job);
  const int other_file = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ASSERT_EQ(dup2(other_file, handle), handle);
  close(other_file);
  for (int call = 0; call < 2; ++call) {
    try {
      exchange.exchange(std::vector<Bytes>(2));
      ADD_FAILURE() << "the call returned";
    } catch (const SystemError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the program has closed the job's UDP socket"));
    }
  }
  exchange.abort("too late");
}

}  // namespace
}  // namespace lbsp::transport
