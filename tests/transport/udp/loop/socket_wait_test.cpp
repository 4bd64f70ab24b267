#include "transport/udp/loop/socket_wait.hpp"

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <sys/socket.h>

#include "gtest/gtest.h"

#include "transport/udp/sockets/port.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::transport {
namespace {

struct WaitingPort {
  UdpPort port = UdpPort::bind("127.0.0.1", 0);
  boost::asio::io_context io{1};
  SocketWait wait{io, port};
  int readable = 0;

  void wait_for_reading() {
    wait.for_reading([this] { ++readable; });
  }
  void send() const {
    const auto sender = UdpPort::bind("127.0.0.1", 0);
    const SocketAddress to = resolve({"127.0.0.1", port.port()}, AF_INET);
    const std::array<std::byte, 10> bytes{};
    EXPECT_EQ(sendto(sender.native_handle(), bytes.data(), bytes.size(), 0, to.get(), to.length), 10);
  }
  void read() const {
    std::array<std::byte, 10> bytes{};
    EXPECT_EQ(recv(port.native_handle(), bytes.data(), bytes.size(), 0), 10);
  }
  /// Does what has become possible.
  void look() {
    io.restart();
    while (io.poll() > 0) {
    }
  }
};

TEST(SocketWait, ends_once_for_each_time_that_it_is_begun) {
  WaitingPort waiting;
  waiting.wait_for_reading();
  waiting.look();
  EXPECT_EQ(waiting.readable, 0);
  EXPECT_TRUE(waiting.wait.reads());
  waiting.send();
  waiting.look();
  EXPECT_EQ(waiting.readable, 1);
  EXPECT_FALSE(waiting.wait.reads());
  waiting.send();
  waiting.look();
  EXPECT_EQ(waiting.readable, 1);
}

TEST(SocketWait, finds_what_was_left_unread) {
  WaitingPort waiting;
  waiting.wait_for_reading();
  waiting.send();
  waiting.send();
  waiting.look();
  waiting.read();
  waiting.wait_for_reading();
  waiting.look();
  EXPECT_EQ(waiting.readable, 2);
}

TEST(SocketWait, finds_what_came_while_it_had_forgotten_the_socket) {
  WaitingPort waiting;
  waiting.wait_for_reading();
  waiting.wait.forget();
  EXPECT_FALSE(waiting.wait.reads());
  waiting.send();
  waiting.look();
  EXPECT_EQ(waiting.readable, 0);
  waiting.wait_for_reading();
  waiting.look();
  EXPECT_EQ(waiting.readable, 1);
}

TEST(SocketWait, does_nothing_that_was_waited_for_before_it_forgot) {
  WaitingPort waiting;
  waiting.wait_for_reading();
  waiting.wait.forget();
  waiting.wait_for_reading();
  waiting.send();
  waiting.look();
  EXPECT_EQ(waiting.readable, 1);
}

TEST(SocketWait, leaves_the_socket_to_the_port) {
  const WaitingPort waiting;
  {
    boost::asio::io_context io{1};
    SocketWait other(io, waiting.port);
    other.for_reading([] {});
  }
  waiting.send();
  waiting.read();
}

}  // namespace
}  // namespace lbsp::transport
