#include "tools/uv/stream.hpp"

#include <array>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/uv/events.hpp"

namespace lbsp::uv {
namespace {

using namespace std::chrono_literals;

/// The system has refused what was written, or taken it, and the stream is destroyed before it is told of that.
TEST(Stream, is_told_of_no_write_after_its_end) {
  ::signal(SIGPIPE, SIG_IGN);
  for (const bool reader_left : {true, false}) {
    Loop loop;
    Timer end(loop);
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    auto stream = std::make_unique<Stream>(loop, ends[0]);
    if (reader_left) ::close(ends[1]);
    bool told = false;
    stream->write("a line\n", [&told](bool) { told = true; });
    stream->finish();
    stream.reset();
    end.start(1ms, [&loop] { loop.stop(); });
    loop.run();
    EXPECT_FALSE(told) << reader_left;
    if (!reader_left) ::close(ends[1]);
  }
}

}  // namespace
}  // namespace lbsp::uv
