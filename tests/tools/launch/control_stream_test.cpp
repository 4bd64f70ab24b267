// A launcher that does not keep to the protocol, and a rank that does not.
#include <array>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using job::Frame;
using job::FrameKind;
using testing::HasSubstr;
using testing::StartsWith;

/// A rank started by this test, which plays the launcher.
class StartedRank {
 public:
  StartedRank() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    command_ = std::make_unique<Command>(
        std::vector<std::string>{built("job_probe"), "steps", "1"},
        CommandSettings{.environment = {{"LBSP_CONTROL_FD", std::to_string(ends_[1])}}});
    ::close(ends_[1]);
  }
  StartedRank(const StartedRank&) = delete;
  StartedRank& operator=(const StartedRank&) = delete;
  ~StartedRank() { ::close(ends_[0]); }

  void tell(const Frame& frame) const {
    const std::string bytes = encode(frame);
    EXPECT_EQ(::send(ends_[0], bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  /// The first failure that it tells before its end.
  std::string failure() const {
    job::FrameReader frames;
    std::array<char, 4096> bytes{};
    for (;;) {
      while (const auto frame = frames.next()) {
        if (frame->kind == FrameKind::failure) return job::from_payload<job::Failure>(frame->payload).message;
      }
      const ssize_t got = ::recv(ends_[0], bytes.data(), bytes.size(), 0);
      if (got <= 0) return "none";
      frames.add({bytes.data(), static_cast<std::size_t>(got)});
    }
  }

  Outcome wait() { return command_->wait(); }

 private:
  std::array<int, 2> ends_{};
  std::unique_ptr<Command> command_;
};

job::Welcome welcome_to(Rank rank, Rank size, job::Backend backend) {
  job::Welcome welcome;
  welcome.rank = rank;
  welcome.size = size;
  welcome.backend = backend;
  welcome.bind_address = "127.0.0.1";
  welcome.progress = true;
  welcome.start_timeout = std::chrono::seconds{5};
  return welcome;
}

TEST(Rank, refuses_a_start_without_all_addresses) {
  for (const auto backend : {job::Backend::udp, job::Backend::threads}) {
    StartedRank rank;
    rank.tell({FrameKind::welcome, 0, to_payload(welcome_to(0, 2, backend))});
    rank.tell({FrameKind::start, 0, to_payload(job::Start{})});
    EXPECT_THAT(rank.failure(), StartsWith("the launcher starts 0 ranks of 2: "));
    const auto outcome = rank.wait();
    EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
  }
}

TEST(Rank, refuses_a_welcome_for_a_rank_beyond_the_size) {
  StartedRank rank;
  rank.tell({FrameKind::welcome, 0, to_payload(welcome_to(2, 2, job::Backend::udp))});
  EXPECT_THAT(rank.failure(), StartsWith("a welcome for rank 2 of 2: "));
  EXPECT_EQ(rank.wait().code, 1);
}

std::string greeting(bool size_follows = false) {
  job::Hello hello;
  hello.size_follows = size_follows;
  hello.ciphers = {transport::Cipher::chacha20_poly1305};
  return job::encode({FrameKind::hello, 0, to_payload(hello)});
}

/// Ranks that write that on their control connection before they end.
Outcome run_writing(const std::string& bytes, const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> words = options;
  words.insert(words.end(),
               {"--", "sh", "-c", "cat " + std::string(folder.write("bytes", bytes)) + " >&3; sleep 1"});
  return run(words);
}

TEST(Launcher, says_what_is_no_number_in_a_rank_s_frame) {
  for (const auto& [number, shown] : {std::pair("x\0331", "x\\x1b1"), {"-1", "-1"}}) {
    const auto outcome = run_writing(greeting(true) + job::encode({FrameKind::size, 0, number}));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(reason_in(outcome),
                StartsWith(std::string("lbsp: rank 0 on localhost: a control message has \"") + shown +
                           "\" where a number should be"));
  }
}

constexpr const char* out_of_turn =
    "lbsp: rank 0 on localhost: it speaks out of turn: use the same lbsp everywhere\n";

/// The end of a process, say, which its host tells, and which the launcher believes.
TEST(Launcher, takes_from_a_rank_no_word_that_only_its_host_or_a_launcher_may_say) {
  for (const auto kind :
       {FrameKind::spawn, FrameKind::kill, FrameKind::welcome, FrameKind::start, FrameKind::host_ready,
        FrameKind::host_alive, FrameKind::output, FrameKind::error_output, FrameKind::input_taken}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const auto outcome = run_writing(greeting() + job::encode({kind, 0, "1"}));
    EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
    EXPECT_EQ(reason_in(outcome), out_of_turn);
    EXPECT_EQ(outcome.output, "");
  }
  const auto outcome =
      run_writing(greeting() + job::encode({FrameKind::exited, 0, job::to_payload(job::Exited{})}));
  EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
  EXPECT_EQ(reason_in(outcome), out_of_turn);
}

/// Of a job that has no ranks yet, or not that one.
TEST(Launcher, takes_no_word_of_a_superstep_before_the_start) {
  const std::string report = job::encode({FrameKind::report, 0, job::to_payload(job::RankReport{})});
  const std::string change = job::encode({FrameKind::changed, 0, job::to_payload(job::Changed{})});
  for (const auto& early : {report, change}) {
    for (const auto& before : {std::string(), greeting()}) {
      const auto outcome = run_writing(before + early, {"-n", "2"});
      EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
      EXPECT_THAT(reason_in(outcome), HasSubstr(" on localhost: it speaks out of turn: "));
    }
  }
}

/// Copied, such a value takes a part of the stack for each list.
TEST(Launcher, refuses_a_report_whose_lists_nest_without_end) {
  constexpr std::size_t depth = 1'000'000;
  job::RankReport sound;
  sound.notes["group"]["name"] = 1;
  std::string report = to_payload(sound);
  const std::string number = "\"name\":1.0";
  const std::size_t place = report.find(number);
  ASSERT_NE(place, std::string::npos) << report;
  report.replace(place, number.size(), "\"name\":" + std::string(depth, '[') + std::string(depth, ']'));
  const auto outcome = run_writing(greeting() + job::encode({FrameKind::report, 0, report}));
  EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
  EXPECT_THAT(
      reason_in(outcome),
      HasSubstr("lbsp: rank 0 on localhost: a control message has more lists and objects in each other"));
}

TEST(Launcher, does_not_wait_for_the_end_of_supersteps_that_are_told_again_and_again) {
  const TemporaryFolder folder;
  const std::string hello = folder.write("hello", greeting());
  const job::Steps once{.first = 0, .figures = std::vector<SuperstepFigures>(3)};
  const std::string steps = folder.write("steps", job::encode({FrameKind::steps, 0, to_payload(once)}));
  Command job(lbsp_run(
      {"--", "sh", "-c", "cat " + hello + " >&3; while sleep 0.05; do cat " + steps + " >&3; done"}));
  std::this_thread::sleep_for(std::chrono::seconds{1});
  job.signal(SIGINT);
  const Outcome outcome = job.wait(std::chrono::seconds{4});
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.errors;
}

/// The places of what ranks say then are those that there were at the start.
TEST(Launcher, refuses_what_is_said_before_the_start_from_whoever_says_it_later) {
  for (const auto& options :
       {std::vector<std::string>{}, {"--on-failure", "respawn", "--peer-timeout", "2s"}}) {
    for (const char* what : {"hello", "size"}) {
      SCOPED_TRACE(std::string(what) + (options.empty() ? "" : " of a new process"));
      std::vector<std::string> words{"-n", "3"};
      words.insert(words.end(), options.begin(), options.end());
      words.insert(words.end(), {"--", built("job_probe"), "speak-again", what, "1"});
      if (!options.empty()) words.emplace_back("in-its-place");
      const auto outcome = run(words);
      EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
      EXPECT_THAT(reason_in(outcome), HasSubstr("lbsp: rank 1 on localhost: it speaks out of turn: "));
    }
  }
}

}  // namespace
}  // namespace lbsp::test
