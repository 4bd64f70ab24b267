// lbsp watch, started beside a job as a user starts it.
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "tests/tools/command.hpp"
#include "tests/tools/launch/running_job.hpp"
#include "tests/tools/launch/terminal_command.hpp"
#include "tests/tools/watch/job_answer.hpp"
#include "tools/watch/job_socket.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Outcome watch(std::vector<std::string> words) {
  words.insert(words.begin(), {built("lbsp"), "watch"});
  return Command(words).wait();
}

json seen(int job) {
  const Outcome outcome = watch({std::to_string(job), "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  return json::parse(outcome.output, nullptr, false);
}

/// Looks at it again and again until it comes to that. The last answer.
template <class Reached>
json seen_when(Reached reached, int job) {
  json answer;
  EXPECT_TRUE(wait_until([&] { return reached(answer = seen(job)); }, std::chrono::seconds{20})) << answer;
  return answer;
}

/// Whether rank 2 does that.
auto rank_2_is(const std::string& doing) {
  return [=](const json& answer) { return answer["per_rank"][2].value("doing", "") == doing; };
}

TEST(LbspWatch, tells_what_each_rank_does_and_whom_the_others_wait_for) {
  for (const auto& carrier : all_carriers()) {
    RunningJob job({carrier[0], carrier[1]}, "loop-in-rank-1", 3);
    const int pid = job.command().pid();
    const json answer =
        seen_when([](const json& one) { return one.value("waited_for", json()) == json({1}); }, pid);
    EXPECT_EQ(answer["version"], 1);
    EXPECT_EQ(answer["ranks"], 3);
    EXPECT_EQ(answer["backend"], carrier[1] == "on" ? "shared-memory" : carrier[1]);
    EXPECT_EQ(answer["superstep"], 1);
    EXPECT_GT(answer["seconds"], 0);
    const json& ranks = answer["per_rank"];
    ASSERT_EQ(ranks.size(), 3U);
    for (const std::size_t rank : {0U, 2U}) {
      EXPECT_EQ(ranks[rank]["rank"], rank);
      EXPECT_EQ(ranks[rank]["doing"], "waits");
      EXPECT_GT(ranks[rank]["seconds"]["waiting"], 0);
    }
    EXPECT_EQ(ranks[1]["doing"], "computes");
    EXPECT_EQ(ranks[1]["host"], "localhost");
    EXPECT_EQ(ranks[1]["seconds"]["waiting"], 0);
    const Outcome text = watch({std::to_string(pid)});
    EXPECT_THAT(text.output,
                AllOf(HasSubstr(" on 3 ranks over "), HasSubstr("The others wait for rank 1.\n")));
    job.command().signal(SIGINT);
    job.command().wait();
    EXPECT_THAT(watch({std::to_string(pid)}).errors, HasSubstr("no job "));
  }
}

TEST(LbspWatch, shows_a_rank_that_does_not_answer_as_silent_and_costs_the_job_nothing) {
  RunningJob job({}, "pids", 3);
  ::kill(job.pids[2], SIGSTOP);
  const json answer = seen_when(rank_2_is("silent"), job.command().pid());
  EXPECT_TRUE(answer["per_rank"][2]["superstep"].is_null()) << "it has never answered: " << answer;
  ::kill(job.pids[2], SIGCONT);
  seen_when([](const json& one) { return one["per_rank"][2].value("doing", "silent") != "silent"; },
            job.command().pid());
  job.command().signal(SIGINT);
  EXPECT_EQ(job.command().wait().code, 128 + SIGINT);
  job.expect_nothing_left();
}

TEST(LbspWatch, shows_a_rank_that_the_others_go_on_without_as_lost) {
  RunningJob job({"--on-failure", "shrink", "--peer-timeout", "1s"}, "pids", 3);
  ::kill(job.pids[2], SIGKILL);
  const json answer = seen_when(rank_2_is("lost"), job.command().pid());
  for (const json& rank : answer["waited_for"])
    EXPECT_NE(rank, 2) << answer;
  job.command().signal(SIGINT);
  EXPECT_EQ(job.command().wait().code, 128 + SIGINT);
}

/// It learns that they went on, and ends.
TEST(LbspWatch, shows_a_rank_as_lost_that_was_only_stopped_when_the_others_went_on) {
  RunningJob job({"--on-failure", "shrink", "--peer-timeout", "1s"}, "pids", 4);
  ::kill(job.pids[2], SIGSTOP);
  seen_when(rank_2_is("lost"), job.command().pid());
  ::kill(job.pids[2], SIGCONT);
  EXPECT_TRUE(disappears(job.pids[2]));
  const json answer = seen(job.command().pid());
  EXPECT_EQ(answer["per_rank"][2]["doing"], "lost") << answer;
  job.command().signal(SIGINT);
  EXPECT_EQ(job.command().wait().code, 128 + SIGINT);
}

TEST(LbspWatch, says_what_is_wrong_in_one_line) {
  const auto errors = [](const std::vector<std::string>& words) {
    const Outcome outcome = watch(words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.output, "");
    EXPECT_THAT(outcome.errors, StartsWith("lbsp: "));
    EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
    return outcome.errors;
  };
  EXPECT_THAT(errors({"x"}), HasSubstr("x is no job"));
  EXPECT_THAT(errors({"12x"}), HasSubstr("12x is no job"));
  EXPECT_THAT(errors({"0"}), HasSubstr("0 is no job"));
  EXPECT_THAT(errors({"99999999999999"}), HasSubstr("is no job"));
  EXPECT_THAT(errors({"1"}), HasSubstr("no job 1 of yours"));
  EXPECT_THAT(watch({"--help"}).output, HasSubstr("Example: lbsp watch"));
}

TEST(LbspWatch, says_that_a_job_takes_no_more_connections) {
  RunningJob job({}, "pids", 2);
  const int pid = job.command().pid();
  EXPECT_FALSE(seen(pid).is_null());
  job.command().signal(SIGSTOP);
  constexpr int as_many_as_wait = 9;
  std::vector<int> waiting;
  for (int i = 0; i < as_many_as_wait; ++i)
    waiting.push_back(watch::connect_to_job(pid).value_or(-1));
  const Outcome outcome = watch({std::to_string(pid)});
  for (const int connection : waiting)
    ::close(connection);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: job " + std::to_string(pid) + " takes no more connections"));
  job.command().signal(SIGCONT);
  job.command().signal(SIGINT);
  const Outcome end = job.command().wait();
  EXPECT_EQ(end.code, 128 + SIGINT) << "signal " << end.signal << ", " << end.timed_out << ": " << end.errors;
}

TEST(LbspWatch, waits_for_a_job_that_has_no_more_files_which_says_so_once_and_goes_on) {
  RunningJob job({}, "pids", 2);
  const int pid = job.command().pid();
  EXPECT_FALSE(seen(pid).is_null());
  rlimit before{};
  ASSERT_EQ(::prlimit(pid, RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit none_left{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::prlimit(pid, RLIMIT_NOFILE, &none_left, nullptr), 0);
  Command waiting({built("lbsp"), "watch", std::to_string(pid), "--once"});
  const auto used = processor_time(pid);
  std::this_thread::sleep_for(std::chrono::seconds{1});
  EXPECT_LT(processor_time(pid) - used, std::chrono::milliseconds{300});
  ASSERT_EQ(::prlimit(pid, RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_EQ(waiting.wait().code, 0);
  job.command().signal(SIGINT);
  EXPECT_THAT(job.command().wait().errors,
              StartsWith("lbsp: lbsp watch has to wait: Too many open files: raise the "
                         "limit of open files (ulimit -n)\nlbsp: "));
}

std::vector<std::string> watching(const std::string& terminal, int job) {
  return {"env", "TERM=" + terminal, built("lbsp"), "watch", std::to_string(job)};
}

TEST(LbspWatch, keeps_to_the_width_of_its_terminal_and_leaves_a_line_free_for_the_cursor) {
  RunningJob job({}, "loop-in-rank-1", 3);
  TerminalCommand small(watching("xterm", job.command().pid()), 6, 40);
  ASSERT_TRUE(small.shows("\x1b[J")) << small.screen();
  const std::string view = small.screen().substr(0, small.screen().find("\x1b[J"));
  EXPECT_THAT(view, AllOf(StartsWith("\x1b[H"), HasSubstr(" does"))) << view;
  const auto lines = lines_of(view.substr(3));
  EXPECT_LE(lines.size(), 5U) << view;
  for (const std::string& line : lines)
    EXPECT_LT(line.find("\x1b[K"), 40U) << line;
  EXPECT_TRUE(small.shows("\x1b[H")) << "it is renewed";
  small.type("\x03");
  EXPECT_EQ(small.wait(), 128 + SIGINT);
}

TEST(LbspWatch, is_printed_once_on_a_terminal_that_cannot_move_its_cursor) {
  RunningJob job({}, "loop-in-rank-1", 3);
  for (const std::string terminal : {"dumb", ""}) {
    TerminalCommand printing(watching(terminal, job.command().pid()));
    EXPECT_EQ(printing.wait(), 0) << printing.screen();
    EXPECT_THAT(printing.screen(), AllOf(HasSubstr(" on 3 ranks over "), testing::Not(HasSubstr("\x1b"))));
  }
}

/// Asks this process, which has the place of a job's window and answers so.
Outcome watch_what_answers(const std::string& answer) {
  const int listening = watch::listen_as_job(::getpid());
  EXPECT_GE(listening, 0);
  Command asking({built("lbsp"), "watch", std::to_string(::getpid()), "--json", "-"});
  pollfd knocked{listening, POLLIN, 0};
  EXPECT_EQ(::poll(&knocked, 1, 20'000), 1);
  const int connection = ::accept(listening, nullptr, nullptr);
  for (std::size_t sent = 0; sent < answer.size();) {
    const ssize_t count = ::send(connection, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  ::close(connection);
  ::close(listening);
  return asking.wait();
}

/// Copied, such a value takes a part of the stack for each list.
TEST(LbspWatch, refuses_an_answer_whose_lists_nest_without_end) {
  constexpr std::size_t depth = 1'000'000;
  json sound = job_answer(1, json::array());
  sound["further"] = "?";
  std::string answer = sound.dump();
  EXPECT_EQ(watch_what_answers(answer).code, 0);
  answer.replace(answer.find("\"?\""), 3, std::string(depth, '[') + std::string(depth, ']'));
  const Outcome outcome = watch_what_answers(answer);
  EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: the job's answer is not understood: "));
}

}  // namespace
}  // namespace lbsp::test
