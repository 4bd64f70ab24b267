#include "lbsp/job/channel.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::job {
namespace {

using namespace std::chrono_literals;

std::array<int, 2> socket_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return ends;
}

Channel::Clock::time_point soon() {
  return Channel::Clock::now() + 20s;
}

TEST(Channel, carries_frames_larger_than_the_sockets_buffer_both_ways) {
  const auto ends = socket_pair();
  Channel rank(ends[0]);
  Channel launcher(ends[1]);
  const Frame frame{FrameKind::report, 3, std::string(3'000'000, 'r')};
  std::thread sender([&] { rank.send(frame); });
  EXPECT_EQ(launcher.receive(soon()), frame);
  sender.join();
  launcher.send({FrameKind::start, 0, "s"});
  EXPECT_EQ(rank.receive(soon())->payload, "s");
}

TEST(Channel, says_its_last_word_when_the_launcher_has_read_what_came_before) {
  const auto ends = socket_pair();
  Channel rank(ends[0]);
  Channel launcher(ends[1]);
  const std::string before = encode({FrameKind::progress, 0, std::string(1000, 'p')});
  while (::send(ends[0], before.data(), before.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  std::thread sender([&] { rank.send_last(encode({FrameKind::crashed, 2, {}})); });
  std::this_thread::sleep_for(50ms);
  auto frame = launcher.receive(soon());
  while (frame && frame->kind == FrameKind::progress)
    frame = launcher.receive(Channel::Clock::now() + 500ms);
  sender.join();
  EXPECT_EQ(frame, (Frame{FrameKind::crashed, 2, {}}));
}

TEST(Channel, returns_nothing_at_the_deadline) {
  const auto ends = socket_pair();
  Channel rank(ends[0]);
  EXPECT_EQ(rank.receive(Channel::Clock::now() + 1ms), std::nullopt);
  ::close(ends[1]);
}

TEST(Channel, says_that_the_launcher_is_gone) {
  const auto ends = socket_pair();
  Channel rank(ends[0]);
  ::close(ends[1]);
  EXPECT_THROW(rank.receive(soon()), Error);
  EXPECT_THROW(rank.send({FrameKind::hello, 0, ""}), Error);
}

TEST(Channel, says_that_the_program_has_closed_its_socket) {
  const auto ends = socket_pair();
  Channel channel(ends[0]);
  ::close(ends[0]);
  const auto told = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_TRUE(told([&] { channel.send({FrameKind::hello, 0, {}}); }).starts_with("the program has closed"));
  EXPECT_TRUE(told([&] {
                channel.receive(Channel::Clock::now() + std::chrono::seconds{1});
              }).starts_with("the program has closed"));
  ::close(ends[1]);
}

TEST(Channel, stops_a_receive_that_waits_in_another_thread) {
  const auto ends = socket_pair();
  Channel rank(ends[0]);
  std::optional<Frame> received = Frame{};
  std::thread receiver([&] { received = rank.receive(Channel::Clock::time_point::max()); });
  rank.stop_receiving();
  receiver.join();
  EXPECT_EQ(received, std::nullopt);
  EXPECT_TRUE(rank.stopped());
  ::close(ends[1]);
}

TEST(Channel, is_none_without_a_launcher) {
  ::unsetenv("LBSP_CONTROL_FD");
  EXPECT_EQ(Channel::inherited(), std::nullopt);
}

TEST(Channel, refuses_a_variable_that_names_no_socket) {
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (const std::string& value :
       {std::to_string(file), std::string("-1"), std::string("3x"), std::string()}) {
    ::setenv("LBSP_CONTROL_FD", value.c_str(), 1);
    EXPECT_THROW(Channel::inherited(), UsageError) << value;
  }
  ::close(file);
}

TEST(Channel, keeps_its_socket_and_the_variable_from_the_programs_children) {
  const auto ends = socket_pair();
  ::fcntl(ends[0], F_SETFD, 0);
  ::setenv("LBSP_CONTROL_FD", std::to_string(ends[0]).c_str(), 1);
  const auto socket = Channel::inherited();
  EXPECT_EQ(socket, ends[0]);
  EXPECT_EQ(std::getenv("LBSP_CONTROL_FD"), nullptr);
  const Channel rank(*socket);
  EXPECT_EQ(::fcntl(ends[0], F_GETFD), FD_CLOEXEC);
  ::close(ends[1]);
}

}  // namespace
}  // namespace lbsp::job
