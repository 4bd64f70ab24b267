#include "tools/uv/listener.hpp"

#include <array>
#include <ctime>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "tools/uv/descriptors.hpp"
#include "tools/uv/events.hpp"

namespace lbsp::uv {
namespace {

using namespace std::chrono_literals;

/// A socket that listens, and one that has connected to it and waits.
struct Waiting {
  Waiting() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socklen_t length = sizeof(sa_family_t);  // the system finds a name
    EXPECT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(listening.get(), 4), 0);
    length = sizeof address;
    EXPECT_EQ(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    EXPECT_EQ(::connect(connected.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  }

  Descriptor listening{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  Descriptor connected{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

/// While it lives, this process gets no further descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    taken_.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    rlimit lowered = before_;
    lowered.rlim_cur = static_cast<rlim_t>(taken_.front().get()) + 8;
    ::setrlimit(RLIMIT_NOFILE, &lowered);
    while (taken_.back().get() >= 0)
      taken_.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
  std::vector<Descriptor> taken_;
};

std::chrono::duration<double> processor_time() {
  return std::chrono::duration<double>(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
}

TEST(Listener, keeps_who_connects_waiting_while_there_is_no_descriptor_and_the_processor_idle) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "the sanitizers built with this one need descriptors of their own to look at an object's type";
#endif
  Loop loop;
  Timer end(loop);
  Waiting waiting;
  int accepted = 0;
  std::vector<std::string> told;
  Listener listener(loop, waiting.listening.release(), "a visitor",
                    {.on_connection =
                         [&](int connection) {
                           ++accepted;
                           ::close(connection);
                           loop.stop();
                         },
                     .say = [&](const std::string& text) { told.push_back(text); }});
  {
    const NoDescriptors none;
    const auto before = processor_time();
    end.start(600ms, [&loop] { loop.stop(); });
    loop.run();
    EXPECT_LT(processor_time() - before, 200ms) << "it tried again and again";
    EXPECT_EQ(accepted, 0);
  }
  EXPECT_THAT(told,
              testing::ElementsAre(
                  "a visitor has to wait: Too many open files: raise the limit of open files (ulimit -n)"));
  end.start(5s, [&loop] { loop.stop(); });
  loop.run();
  EXPECT_EQ(accepted, 1);
}

}  // namespace
}  // namespace lbsp::uv
