// lbsp probe as a user runs it, over UDP on this machine, with a bad network pretended.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "tests/tools/launch/agent_script.hpp"
#include "tools/probe/key_file.hpp"
#include "tools/profile/profile_file.hpp"
#include "transport/probe/client.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> probe(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {built("lbsp"), "probe"});
  return arguments;
}

std::string free_port() {
  return std::to_string(transport::UdpPort::bind("127.0.0.1", 0).port());
}

/// A far side, whose key file is there when this is made.
class Listening {
 public:
  Listening(const TemporaryFolder& folder, const std::string& wan)
      : key_(folder.path() / "key"),
        port_(free_port()),
        command_(
            probe({"--listen", port_, "--key-file", key_, "--no-compute", "--wan", wan, "--seed", "4"})) {
    wait_until([&] { return ::access(key_.c_str(), R_OK) == 0; }, std::chrono::seconds{10});
  }

  const std::string& key() const { return key_; }
  std::string place() const { return "127.0.0.1:" + port_; }
  Command& command() { return command_; }

 private:
  std::string key_;
  std::string port_;
  Command command_;
};

std::vector<std::string> quick(std::vector<std::string> rest) {
  const std::vector<std::string> fixed{"--no-compute", "--packet-sizes", "64,1400", "--count",
                                       "200",          "--max-rate",     "40Mbit"};
  rest.insert(rest.end(), fixed.begin(), fixed.end());
  return probe(rest);
}

TEST(ProbeCommand, measures_a_host_that_listens_and_serves_the_next_client_too) {
  const TemporaryFolder folder;
  Listening far(folder, "loss=20%,rtt=10ms");
  const std::string json = folder.path() / "net.json";
  for (int client = 0; client < 2; ++client) {
    const auto outcome =
        Command(quick({far.place(), "--key-file", far.key(), "--wan", "rtt=10ms", "--json", json})).wait();
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("bandwidth"));
    const auto profile = profile::read_profile(json);
    ASSERT_EQ(profile.pairs.size(), 4U);
    for (const auto& pair : profile.pairs) {
      EXPECT_GE(pair.round_trip.minimum, 0.0099);
      if (pair.from == 1) {
        EXPECT_GT(pair.loss, 0.05);
        EXPECT_EQ(pair.loss_sample, 200U);
      }
    }
  }
  far.command().signal(SIGTERM);
  EXPECT_EQ(far.command().wait().code, 0);
}

TEST(ProbeCommand, keeps_its_files_though_its_output_cannot_be_written) {
  if (std::system("command -v gnuplot >/dev/null") != 0) GTEST_SKIP() << "no gnuplot here";
  const TemporaryFolder folder;
  Listening far(folder, "rtt=1ms");
  const std::string json = folder.path() / "net.json";
  std::vector<std::string> words{"sh", "-c", "exec \"$@\" >/dev/full", "sh"};
  const auto probing = quick({far.place(), "--key-file", far.key(), "--json", json, "--svg", json + ".svg"});
  words.insert(words.end(), probing.begin(), probing.end());
  const auto outcome = Command(words).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              HasSubstr("lbsp: standard output cannot be written: No space left on device: "));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("Warning")));
  EXPECT_EQ(profile::read_profile(json).pairs.size(), 4U);
  EXPECT_THAT(folder.read("net.json.svg"), HasSubstr("</svg>"));
}

TEST(ProbeCommand, gets_no_answer_with_another_key_and_says_so_in_one_line) {
  const TemporaryFolder folder;
  Listening far(folder, "rtt=1ms");
  const std::string other = folder.write("other", probe::key_as_text(transport::JobKey::random()));
  ::chmod(other.c_str(), 0600);
  const auto outcome = Command(quick({far.place(), "--key-file", other})).wait(std::chrono::seconds{30});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: " + far.place() + " does not answer"));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
}

TEST(ProbeCommand, measures_every_pair_of_a_hosts_file) {
  const TemporaryFolder folder;
  const std::string hosts = folder.write("hosts", "localhost\n127.0.0.3\n");
  const auto outcome = Command(quick({"--hosts", hosts, "--wan", "loss=5%,rtt=10ms", "--json", "-"})).wait();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto profile = profile::from_json(outcome.output, "output");
  EXPECT_EQ(profile.hosts.size(), 2U);
  EXPECT_EQ(profile.pairs.size(), 4U);
}

TEST(ProbeCommand, names_a_host_that_is_not_there_and_measures_the_others) {
  const TemporaryFolder folder;
  const auto agent =
      agent_script(folder, "test $host = b && { echo 'no such host' >&2; exit 1; }; exec \"$@\"");
  const std::string hosts =
      folder.write("hosts", "a address=127.0.0.1\nb address=127.0.0.1\nc address=127.0.0.1\n");
  const auto outcome = Command(quick({"--hosts", hosts, "--launch-agent", agent, "--wan", "rtt=5ms"})).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: host b: no such host\n"));
  EXPECT_THAT(outcome.errors, HasSubstr("2 pairs are not measured: measure them with lbsp probe --hosts " +
                                        hosts + " --launch-agent " + agent + " --resume FILE.json\n"));
  EXPECT_THAT(outcome.output, HasSubstr("a -> c"));
}

constexpr const char* three_hosts = "a address=127.0.0.1\nb address=127.0.0.1\nc address=127.0.0.1\n";

/// Every host of a file but those of which `refused` is a pattern of the shell.
class SurveyCommand : public testing::Test {
 protected:
  std::vector<std::string> survey(const std::string& refused, std::vector<std::string> rest) {
    const auto agent = agent_script(
        folder_, "case $host in " + refused + ") echo 'no such host' >&2; exit 1;; esac; exec \"$@\"");
    std::vector<std::string> words = {"--hosts", hosts_,       "--launch-agent", agent,
                                      "--wan",   "rtt=5ms",    "--no-compute",   "--packet-sizes",
                                      "1400",    "--max-rate", "40Mbit"};
    words.insert(words.end(), rest.begin(), rest.end());
    return probe(words);
  }

  TemporaryFolder folder_;
  std::string hosts_ = folder_.write("hosts", three_hosts);
  std::string json_ = folder_.path() / "net.json";
};

TEST_F(SurveyCommand, notes_the_pairs_that_failed_and_measures_them_when_it_resumes) {
  EXPECT_EQ(Command(survey("b", {"--json", json_})).wait().code, 1);
  const auto lacking = profile::read_profile(json_);
  ASSERT_EQ(lacking.failed.size(), 2U);
  EXPECT_EQ(lacking.failed[0].reason, "host b: no such host");
  ASSERT_EQ(lacking.pairs.size(), 2U);

  const auto outcome = Command(survey("x", {"--resume", json_})).wait();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto whole = profile::read_profile(json_);
  EXPECT_TRUE(whole.failed.empty());
  EXPECT_EQ(whole.pairs.size(), 6U);
  const auto of_a_and_c = [](const auto& pair) { return pair.from == 0 && pair.to == 2; };
  EXPECT_EQ(std::ranges::find_if(whole.pairs, of_a_and_c)->round_trip.median,
            std::ranges::find_if(lacking.pairs, of_a_and_c)->round_trip.median);
}

TEST_F(SurveyCommand, says_once_how_many_bandwidths_its_own_sending_limits) {
  const auto outcome = Command(survey("x", {"--json", json_})).wait();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto note = outcome.errors.find("what could be sent (--max-rate, ");
  ASSERT_NE(note, std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("what could be sent", note + 1), std::string::npos) << outcome.errors;
  EXPECT_THAT(outcome.errors,
              testing::ContainsRegex(
                  "lbsp: .* bandwidths? of [abc] - [abc].* (is|are) no more than what could be sent"));
  const auto again = Command(survey("x", {"--pairs", "a/b", "--json", json_, "--svg", json_})).wait();
  EXPECT_THAT(again.errors, StartsWith("lbsp: --json and --svg both write "));
}

TEST_F(SurveyCommand, starts_only_the_hosts_of_the_pairs_that_are_asked_for) {
  const auto outcome = Command(survey("b", {"--pairs", "c/a", "--json", json_})).wait();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto profile = profile::read_profile(json_);
  EXPECT_EQ(profile.hosts.size(), 3U);
  ASSERT_EQ(profile.pairs.size(), 2U);
  for (const auto& pair : profile.pairs)
    EXPECT_EQ(pair.from + pair.to, 2);
}

TEST_F(SurveyCommand, has_nothing_to_do_for_a_whole_profile_that_it_resumes) {
  ASSERT_EQ(Command(survey("x", {"--json", json_})).wait().code, 0);
  const auto before = folder_.read("net.json");
  const auto outcome = Command(survey("*", {"--resume", json_})).wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(folder_.read("net.json"), before);
}

TEST_F(SurveyCommand, that_is_interrupted_keeps_what_it_has_measured) {
  Command command(survey("x", {"--parallel", "1", "--json", json_}));
  ASSERT_TRUE(wait_until([&] { return ::access(json_.c_str(), R_OK) == 0; }, std::chrono::seconds{30}));
  command.signal(SIGINT);
  const auto outcome = command.wait();
  EXPECT_EQ(outcome.code, 128 + SIGINT);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: ended by SIGINT: "));
  EXPECT_THAT(outcome.errors, HasSubstr("--resume " + json_));
  const auto profile = profile::read_profile(json_);
  EXPECT_GE(profile.pairs.size(), 2U);
  EXPECT_LT(profile.pairs.size(), 6U);
}

TEST_F(SurveyCommand, that_is_interrupted_before_it_has_measured_anything_says_so_in_one_line) {
  const auto agent =
      agent_script(folder_, "touch " + (folder_.path() / "asked").string() + "; exec sleep 60");
  Command command(probe({"--hosts", hosts_, "--launch-agent", agent}));
  const std::string asked = folder_.path() / "asked";
  ASSERT_TRUE(wait_until([&] { return ::access(asked.c_str(), R_OK) == 0; }, std::chrono::seconds{30}));
  command.signal(SIGINT);
  const auto outcome = command.wait();
  EXPECT_EQ(outcome.code, 128 + SIGINT);
  EXPECT_EQ(outcome.errors, "lbsp: ended by SIGINT, before any pair was measured\n");
  EXPECT_EQ(outcome.output, "");
}

/// Only an order to measure names a host (worker_protocol.hpp).
bool contains_order(const std::string& control_stream) {
  return control_stream.find(R"("host":)") != std::string::npos;
}

/// The processor time after which a worker surely answers another's requests.
constexpr std::chrono::milliseconds answering{5};

TEST_F(SurveyCommand, measures_a_pair_again_of_which_one_end_stood_still) {
  const auto agent = agent_script(
      folder_, "cd " + folder_.path().string() +
                   "; test $host = a && { tee orders | \"$@\"; exit; }; echo $$ >b; exec \"$@\"");
  Command command(probe({"--hosts", hosts_, "--launch-agent", agent, "--pairs", "a/b", "--wan", "rtt=5ms",
                         "--no-compute", "--packet-sizes", "1400", "--max-rate", "40Mbit", "--json", json_}));
  ASSERT_TRUE(wait_until([&] { return contains_order(folder_.read("orders")); }, std::chrono::seconds{30}));
  // In the middle of the measurement, for longer than the other end has patience.
  const int worker = child_of(std::atoi(folder_.read("b").c_str()), "lbsp");
  ASSERT_GT(worker, 0);
  const auto before = processor_time(worker);
  ASSERT_TRUE(
      wait_until([&] { return processor_time(worker) > before + answering; }, std::chrono::seconds{10}));
  ::kill(worker, SIGSTOP);
  std::this_thread::sleep_for(transport::probe::Client::patience + std::chrono::seconds{3});
  ::kill(worker, SIGCONT);
  const auto outcome = command.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(profile::read_profile(json_).pairs.size(), 2U);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: a - b: 127.0.0.1:"));
}

TEST_F(SurveyCommand, refuses_pairs_and_profiles_that_do_not_fit_its_hosts) {
  const std::string other =
      folder_.write("other.json", R"({"version": 1, "hosts": [{"name": "z"}], "pairs": []})");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--pairs", "a"}, "'a' is no pair"},
      {{"--pairs", "a/a"}, "one host"},
      {{"--pairs", "a/z"}, "no host 'z'"},
      {{"--resume", other}, "no host 'z'"},
      {{"--resume", folder_.path() / "none.json"}, "none.json"},
      {{"--sample", "1", "--pairs", "a/b"}, "--sample"},
  };
  for (const auto& [words, part] : cases) {
    const auto outcome = Command(survey("x", words)).wait();
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr(part));
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
  }
}

// OpenBLAS itself would look for room for ever.
TEST(ProbeCommand, says_at_once_that_there_is_no_room_to_compute) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const TemporaryFolder folder;
  std::vector<std::string> words = {"sh", "-c", "ulimit -v 100000; exec \"$@\"", "sh"};
  const auto command = probe(
      {"--hosts", folder.write("hosts", "localhost\n127.0.0.1\n"), "--json", folder.path() / "net.json"});
  words.insert(words.end(), command.begin(), command.end());
  const auto outcome = Command(words).wait(std::chrono::seconds{20});
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("no memory to compute with OpenBLAS"));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("see that ssh reaches it")));
}

}  // namespace
}  // namespace lbsp::test
