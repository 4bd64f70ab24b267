#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "lbsp/job/member/member.hpp"
#include "tests/lbsp/idle_exchange.hpp"

namespace lbsp::job {
namespace {

constexpr int got_further = 42;

/// What becomes of a child that the program of a rank makes, and of what was told the launcher.
struct Forked {
  int status = -1;  ///< as of waitpid
  bool rank_came_to_its_end = false;
  std::string told;  ///< the kinds of frames, of both processes, a character each
};

/// The child does `deed` in the program, and would end with `got_further` if it got out of it.
Forked fork_in_program(const std::function<void(World&)>& deed) {
  Forked forked;
  const pid_t itself = ::getpid();
  int told[2] = {-1, -1};
  if (::pipe(static_cast<int*>(told)) != 0) throw std::runtime_error("no pipe");
  member::Member member(std::make_unique<test::IdleExchange>(), [&](FrameKind kind, const std::string&) {
    const auto letter = static_cast<char>(kind);
    if (::write(told[1], &letter, 1) != 1) throw std::runtime_error("told in vain");
  });
  try {
    forked.rank_came_to_its_end = member.run([&](World& world) {
      world.sync();
      const pid_t child = ::fork();
      if (child == 0) return deed(world);
      ::waitpid(child, &forked.status, 0);
      world.sync();
    });
  } catch (...) {
    if (::getpid() == itself) throw;
  }
  if (::getpid() != itself) ::_exit(got_further);
  ::close(told[1]);
  for (char letter = 0; ::read(told[0], &letter, 1) == 1;)
    forked.told += letter;
  ::close(told[0]);
  return forked;
}

void expect_that_only_the_child_ended(const Forked& forked) {
  EXPECT_TRUE(WIFEXITED(forked.status));
  EXPECT_EQ(WEXITSTATUS(forked.status), 1);
  EXPECT_TRUE(forked.rank_came_to_its_end);
  EXPECT_EQ(std::ranges::count(forked.told, static_cast<char>(FrameKind::report)), 1);
  EXPECT_EQ(std::ranges::count(forked.told, static_cast<char>(FrameKind::failure)), 0);
}

TEST(Forks, end_a_child_that_calls_sync) {
  testing::internal::CaptureStderr();
  expect_that_only_the_child_ended(fork_in_program([](World& world) { world.sync(); }));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("made by fork() called sync()"), std::string::npos);
}

TEST(Forks, end_a_child_that_returns_from_the_program) {
  testing::internal::CaptureStderr();
  expect_that_only_the_child_ended(fork_in_program([](World&) {}));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("made by fork() returned from it"),
            std::string::npos);
}

TEST(Forks, end_a_child_that_throws) {
  testing::internal::CaptureStderr();
  expect_that_only_the_child_ended(fork_in_program([](World&) { throw std::runtime_error("no file"); }));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("made by fork() threw \"no file\""),
            std::string::npos);
}

TEST(Forks, leave_alone_a_child_that_ends_by_itself) {
  const Forked forked = fork_in_program([](World&) { ::_exit(0); });
  EXPECT_EQ(forked.status, 0);
  EXPECT_TRUE(forked.rank_came_to_its_end);
}

/// As where a starter forks the ranks, or a test its process: what counts is where the rank began.
TEST(Forks, let_a_rank_begin_in_a_child) {
  const Forks before;
  const pid_t child = ::fork();
  if (child == 0) {
    member::Member member(std::make_unique<test::IdleExchange>(), [](FrameKind, const std::string&) {});
    ::_exit(before.is_child() && member.run([](World& world) { world.sync(); }) ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(before.is_child());
}

}  // namespace
}  // namespace lbsp::job
