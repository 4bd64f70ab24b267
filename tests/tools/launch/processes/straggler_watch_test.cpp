#include "tools/launch/processes/straggler_watch.hpp"

#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "tools/uv/descriptors.hpp"
#include "tools/uv/stream.hpp"

namespace lbsp::launch::processes {
namespace {

using namespace std::chrono_literals;

/// The stream of a process that has ended, which another one holds open.
struct HeldStream {
  HeldStream() {
    stream.read(
        [this](std::string_view bytes) {
          watch.heard();
          heard += bytes;
        },
        [this] { watch.stop(); });
    watch.begin();
  }
  void write(const char* text) const {
    const std::string_view bytes(text);
    EXPECT_EQ(::write(pipe.childs.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  uv::Loop loop;
  uv::DescriptorPair pipe = uv::pipe_from_child();
  uv::Stream stream{loop, pipe.ours.release()};
  std::string heard;
  bool given_up = false;
  StragglerWatch watch{loop, [this] {
                         given_up = true;
                         stream.close();
                       }};
};

TEST(StragglerWatch, gives_up_a_stream_that_is_held_open_and_quiet) {
  HeldStream held;
  held.write("last words");
  held.loop.run();
  EXPECT_TRUE(held.given_up);
  EXPECT_EQ(held.heard, "last words");
}

TEST(StragglerWatch, reads_what_came_while_the_launcher_waited_for_a_processor) {
  HeldStream held;
  uv::DescriptorPair pipe = uv::pipe_from_child();
  EXPECT_EQ(::write(pipe.childs.get(), "x", 1), 1);
  ::close(pipe.childs.release());
  uv::Stream busy(held.loop, pipe.ours.release());
  busy.read(
      [&](std::string_view) {
        ::usleep(700'000);
        held.write("late words");
      },
      [] {});
  held.loop.run();
  EXPECT_EQ(held.heard, "late words");
}

TEST(StragglerWatch, gives_up_nothing_while_it_is_held) {
  HeldStream held;
  held.watch.hold(true);
  uv::Timer later(held.loop);
  later.start(700ms, [&] {
    EXPECT_FALSE(held.given_up);
    held.watch.hold(false);
  });
  held.loop.run();
  EXPECT_TRUE(held.given_up);
}

}  // namespace
}  // namespace lbsp::launch::processes
