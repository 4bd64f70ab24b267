// lbsp hosts check as a user starts it, over virtual hosts of which some have something wrong.
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HostsCheck : public Bed {
 protected:
  Outcome check(Words more, const std::string& agent = {}) const {
    const auto where = bed();
    Words words{built("lbsp"),    "hosts",
                "check",          where["hosts_file"],
                "--launch-agent", agent.empty() ? std::string(where["launch_agent"]) : agent};
    words.insert(words.end(), more.begin(), more.end());
    return Command(words).wait();
  }

  /// A launch agent that does for some hosts what `cases` say, as the branches of a shell's `case "$1"`.
  std::string agent_with(const TemporaryFolder& folder, const std::string& cases) const {
    std::string path = folder.path() / "agent.sh";
    std::ofstream(path) << "#!/bin/sh\ncase \"$1\" in\n"
                        << cases << "\n*) exec " << std::string(bed()["launch_agent"]) << " \"$@\";;\nesac\n";
    ::chmod(path.c_str(), 0700);
    return path;
  }
};

TEST_F(HostsCheck, finds_nothing_wrong_with_hosts_that_lose_a_tenth_of_their_packets) {
  ASSERT_EQ(up({"-n", "3", "--wan", "loss=10%,rtt=40ms"}).code, 0);
  const auto checked = check({"--port", "4000", "--json", "-"});
  ASSERT_EQ(checked.code, 0) << checked.errors;
  const auto answer = nlohmann::json::parse(checked.output);
  EXPECT_TRUE(answer["findings"].empty());
  EXPECT_EQ(answer["pairs"].size(), 6U);
  for (const auto& host : answer["hosts"]) {
    EXPECT_EQ(host["port"], 4000);
    EXPECT_LT(std::abs(host["clock_ahead_s"].get<double>()), 0.2);
  }
  for (const auto& pair : answer["pairs"])
    EXPECT_EQ(pair["largest_datagram"], 1472);
}

TEST_F(HostsCheck, names_a_blocked_port_a_small_mtu_and_a_host_that_does_not_answer_each_with_its_cure) {
  ASSERT_EQ(up({"-n", "5", "--wan", "loss=2%,rtt=10ms"}).code, 0);
  for (const Words& words :
       {Words{"ip", "rule", "add", "pref", "100", "lookup", "local"}, Words{"ip", "rule", "del", "pref", "0"},
        Words{"ip", "rule", "add", "pref", "10", "iif", "wan0", "ipproto", "udp", "blackhole"}})
    ASSERT_EQ(exec("h1", words).code, 0);
  ASSERT_EQ(exec("h2", {"ip", "link", "set", "wan0", "mtu", "1280"}).code, 0);
  const TemporaryFolder folder;
  const auto agent = agent_with(folder, "h4) echo 'Permission denied (publickey).' >&2; exit 255;;");
  const auto checked = check({"--port", "4000"}, agent);
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(
      checked.output,
      AllOf(HasSubstr("wrong  host h1: no datagram arrives at its UDP port 4000: let that port in"),
            HasSubstr("notice host h2: datagrams of more than about 1252 bytes do not get out of it"),
            HasSubstr("wrong  host h4: Permission denied (publickey).: see that " + agent + " h4 true works"),
            Not(HasSubstr("host h0:")), Not(HasSubstr("host h3:"))));
  EXPECT_THAT(checked.errors, HasSubstr("lbsp: 2 things would keep a job from running"));
}

TEST_F(HostsCheck, advises_datagrams_that_just_fit_a_path_of_no_usual_mtu) {
  ASSERT_EQ(up({"-n", "3", "--wan", "rtt=10ms"}).code, 0);
  ASSERT_EQ(exec("h1", {"ip", "link", "set", "wan0", "mtu", "1000"}).code, 0);
  const auto checked = check({});
  EXPECT_THAT(checked.output, AnyOf(HasSubstr("--datagram 972 spares"), HasSubstr("--datagram 971 spares")));
}

TEST_F(HostsCheck, names_another_version_a_program_that_is_not_there_and_a_port_that_is_taken) {
  ASSERT_EQ(up({"-n", "3", "--wan", "rtt=5ms"}).code, 0);
  const TemporaryFolder folder;
  const std::string program = folder.path() / "program";
  std::ofstream(program) << "#!/bin/sh\n";
  ::chmod(program.c_str(), 0700);
  // h0 says what an agent of protocol version 1 says; h1 does not see the folder.
  const std::string agent = agent_with(folder,
                                       "h0) printf '\\001\\000\\000\\0000\\000\\0001'; sleep 5;;\n"
                                       "h1) shift; exec " +
                                           built("lbsp") + " wan exec --name " + name_ +
                                           " h1 -- unshare -m sh -c 'mount -t tmpfs none " +
                                           std::string(folder.path()) + " && exec \"$@\"' sh \"$@\";;");
  const Command holder(exec_words(
      "h2", {"python3", "-c",
             "import socket,time; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.bind(('',4000)); "
             "open('" +
                 std::string(folder.path()) + "/bound','w').close(); time.sleep(60)"}));
  for (int i = 0; i < 1000 && !std::filesystem::exists(folder.path() / "bound"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  const auto checked = check({"--port", "4000", "--program", program}, agent);
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.output,
              AllOf(HasSubstr("wrong  host h0: "),
                    HasSubstr("wrong  host h1: " + program + ": No such file or directory: copy"),
                    HasSubstr("wrong  host h2: UDP port 4000")));
}

TEST(HostsCheckWords, are_cut_off_by_a_signal_without_a_false_word) {
  const TemporaryFolder folder;
  const auto file = folder.write("hosts", "a address=127.0.0.1\nb address=127.0.0.1\n");
  const auto agent =
      folder.write("agent", "#!/bin/sh\ntouch " + (folder.path() / "asked").string() + "\nexec sleep 60\n");
  ::chmod(agent.c_str(), 0700);
  Command checking({built("lbsp"), "hosts", "check", file, "--launch-agent", agent});
  for (int i = 0; i < 1000 && !std::filesystem::exists(folder.path() / "asked"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  checking.signal(SIGINT);
  const auto checked = checking.wait();
  EXPECT_EQ(checked.code, 128 + SIGINT);
  EXPECT_EQ(checked.errors, "lbsp: ended by SIGINT, before all was seen\n");
  EXPECT_EQ(checked.output, "");
}

TEST(HostsCheckWords, name_a_file_that_would_be_replaced) {
  const TemporaryFolder folder;
  const std::string file = folder.write("hosts", "localhost\n");
  const auto checked = Command({built("lbsp"), "hosts", "check", file, "--json", file}).wait();
  EXPECT_EQ(checked.code, 1);
  EXPECT_EQ(checked.errors,
            "lbsp: --json " + file + " would replace what is read: give the name of another file\n");
  EXPECT_EQ(folder.read("hosts"), "localhost\n");
}

TEST(HostsCheckWords, name_a_host_without_an_address_and_check_the_others) {
  const TemporaryFolder folder;
  const auto file = folder.write("hosts", "nowhere.invalid\nlocalhost\n");
  const auto checked = Command({built("lbsp"), "hosts", "check", file}).wait();
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.output, AllOf(HasSubstr("wrong  host nowhere.invalid: nowhere.invalid has no address"),
                                    HasSubstr("\nlocalhost  ")));
}

TEST(HostsCheckWords, that_cannot_be_followed_are_refused_in_one_line) {
  for (const Words& words : {Words{}, Words{"look"}, Words{"check"}, Words{"check", "/nowhere/hosts"},
                             Words{"check", "hosts", "--port", "65536"}}) {
    Words all{built("lbsp"), "hosts"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refusal(Command(all).wait(), "lbsp: ");
  }
}

TEST(HostsCheckAlone, ends_when_no_host_has_an_address) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "hosts") << "nosuch.invalid\n";
  const auto outcome = Command({built("lbsp"), "hosts", "check", folder.path() / "hosts"}).wait();
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("nosuch.invalid"));
  EXPECT_THAT(outcome.output, HasSubstr("give one as address=ADDRESS"));
}

TEST(HostsCheckAlone, says_that_its_worker_cannot_be_started_for_lack_of_descriptors) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "hosts") << "localhost\n";
  for (const char* limit : {"14", "18"}) {
    const auto outcome = Command({"sh", "-c", "ulimit -n " + std::string(limit) + "; exec \"$@\"", "sh",
                                  built("lbsp"), "hosts", "check", folder.path() / "hosts"})
                             .wait();
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.output, HasSubstr("host localhost: no pipe to a child process: Too many open files"));
  }
}

}  // namespace
}  // namespace lbsp::test
