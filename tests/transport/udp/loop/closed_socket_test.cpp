// A program that closes descriptors which it has not opened, the job's among them.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "transport/error.hpp"
#include "transport/udp/batches/socket_problem.hpp"
#include "transport/udp/loop/datagram_loop.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::transport {
namespace {

using namespace ::testing;

/// Sends nothing, and waits for what never comes.
class Silent final : public Correspondent {
 public:
  void handle_datagram(std::span<std::byte>, const SocketAddress&, const Arrival&) override {}
  void handle_timeout(Instant) override {}
  Instant next_timeout() const override { return never; }
  std::optional<Outgoing> poll_transmit(std::span<std::byte>, Instant) override { return std::nullopt; }
  const SocketAddress& address_of(Rank) const override { return address_; }
  bool finished() const override { return false; }

 private:
  SocketAddress address_;
};

std::vector<int> open_descriptors() {
  std::vector<int> open;
  for (int descriptor = 0; descriptor < 1024; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) >= 0) open.push_back(descriptor);
  return open;
}

class ClosedSocket : public Test {
 protected:
  static constexpr std::chrono::milliseconds until_it_waits{20};

  ClosedSocket() {
    const auto before = open_descriptors();
    loop_ = std::make_unique<DatagramLoop>(UdpPort::bind("127.0.0.1", 0), silent_, DatagramLoop::Settings{});
    std::ranges::set_difference(open_descriptors(), before, std::back_inserter(of_loop_));
  }

  /// As close() does, but the thread sanitizer does not object: that another thread waits for them is what is tested.
  void close_all() const {
    for (const auto descriptor : of_loop_)
      ASSERT_EQ(::close_range(static_cast<unsigned>(descriptor), static_cast<unsigned>(descriptor), 0), 0)
          << std::strerror(errno);
  }

  /// What the loop throws that does this, when all is closed while it waits, or before.
  template <class Deed>
  std::string thrown(Deed deed, bool meanwhile) {
    if (!meanwhile) close_all();
    std::string message = "nothing";
    std::thread waiting([&] {
      try {
        deed(*loop_);
      } catch (const std::exception& error) {
        message = error.what();
      }
    });
    std::this_thread::sleep_for(until_it_waits);
    if (meanwhile) close_all();
    waiting.join();
    return message;
  }

  Silent silent_;
  std::unique_ptr<DatagramLoop> loop_;
  std::vector<int> of_loop_;
};

const std::string closed = "the program has closed the job's UDP socket: ";
const Duration long_enough = std::chrono::seconds{5 * test::patience_factor};

TEST_F(ClosedSocket, ends_a_loop_that_waits_for_it) {
  EXPECT_THAT(thrown([](DatagramLoop& loop) { loop.run(); }, true), StartsWith(closed));
}

TEST_F(ClosedSocket, ends_a_loop_that_begins_to_wait) {
  EXPECT_THAT(thrown([](DatagramLoop& loop) { loop.run(); }, false), StartsWith(closed));
}

TEST_F(ClosedSocket, ends_one_who_waits_for_an_event) {
  const Instant begin = DatagramLoop::now();
  EXPECT_THAT(thrown([&](DatagramLoop& loop) { loop.step(begin + 2 * long_enough); }, true),
              StartsWith(closed));
  EXPECT_LT(DatagramLoop::now() - begin, long_enough);
}

TEST_F(ClosedSocket, ends_one_who_begins_to_wait_for_an_event) {
  EXPECT_THAT(thrown([](DatagramLoop& loop) { loop.step(never); }, false), StartsWith(closed));
}

TEST(WatchedSocket, is_not_another_one_that_has_got_its_number) {
  const auto port = UdpPort::bind("127.0.0.1", 0);
  const WatchedSocket watched(port.native_handle());
  EXPECT_NO_THROW(watched.throw_if_closed());
  const auto other = UdpPort::bind("127.0.0.1", 0);
  ASSERT_EQ(::dup2(other.native_handle(), port.native_handle()), port.native_handle());
  EXPECT_THROW(watched.throw_if_closed(), SystemError);
}

}  // namespace
}  // namespace lbsp::transport
