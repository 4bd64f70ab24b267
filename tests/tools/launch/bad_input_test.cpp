#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;

/// One line that begins with "lbsp: ", holds `part`, and exit code 1; nothing on standard output.
void expect_refusal(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: "), HasSubstr(part), EndsWith("\n")));
  EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
}

std::string numbered_hosts(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i)
    lines += "host" + std::to_string(i) + "\n";
  return lines;
}

TEST(BadInput, on_the_command_line_is_refused_with_what_to_do) {
  const std::string probe = built("job_probe");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no program to run"},
      {{"-n", "4"}, "no program to run"},
      {{"-n", "0", "--", probe}, "-n 0: choose a whole number from 1 to"},
      {{"-n", "two", "--", probe}, "-n two: choose a whole number from 1 to 65535, or auto"},
      {{"-n", "257", "--on-failure", "shrink", "--", probe},
       "lbsp: 257 ranks are too many to go on without some"},
      {{"-n", "-1", "--", probe}, "-1"},
      {{"-n", "99999", "--", probe}, "-n 99999: choose"},
      {{"-n"}, "-n"},
      {{"-n", "1", "-n", "2", "--", probe}, "-n is there 2 times: give it once"},
      {{"--copies", "0", "--", probe}, "--copies 0: choose a whole number from 1 to 16"},
      {{"--copies", "17", "--", probe}, "--copies 17: choose"},
      {{"--copies", "", "--", probe}, "--copies : choose"},
      {{"--copies", "many", "--", probe}, "--copies many: choose a whole number from 1 to 16, or auto"},
      {{"--redundancy", "much", "--", probe}, "--redundancy much: use"},
      {{"--redundancy", "none", "--copies", "3", "--", probe}, "leave one of them out"},
      {{"--redundancy", "none", "--copies", "auto", "--", probe}, "leave one of them out"},
      {{"--redundancy", "coded", "--copies", "3", "--", probe}, "--redundancy coded with --copies 3: leave"},
      {{"--redundancy", "auto", "--copies", "3", "--", probe}, "--redundancy auto with --copies 3: leave"},
      {{"--redundancy", "coded", "--recovery", "rounds", "--", probe}, "--redundancy coded with rounds"},
      {{"--backend", "tcp", "--", probe}, "--backend tcp: use udp, "},
      {{"--backend", "threads", "--wan", "loss=1%", "--", probe}, "threads send no datagrams"},
      {{"--backend", "threads", "--hosts", "x", "--", probe}, "threads are of one machine"},
      {{"--wan", "loss", "--", probe}, "loss"},
      {{"--wan", "loss=ten", "--", probe}, "ten"},
      {{"--wan", "lost=10%", "--", probe}, "lost"},
      {{"--wan", "loss=10%,loss=20%", "--", probe}, "loss"},
      {{"--wan", "burst=0.5", "--", probe},
       "WAN burst='0.5' is not a mean run of losses: write a number of at least 1"},
      {{"--recovery", "magic", "--", probe}, "--recovery magic: use"},
      {{"--survive", "1", "--", probe},
       "lbsp: --survive without --on-failure: give both: see lbsp run --help"},
      {{"--peer-timeout", "0s", "--", probe},
       "--peer-timeout 0s: no rank can be heard so often: choose 100ms or more"},
      {{"--peer-timeout", "1ns", "--", probe},
       "--peer-timeout 1ns: no rank can be heard so often: choose 100ms"},
      {{"--peer-timeout", "-1s", "--", probe}, "--peer-timeout '-1s' is not a time"},
      {{"--rate", "10Mb", "--", probe}, "--rate '10Mb' is not a rate"},
      {{"--datagram", "10", "--", probe}, "--datagram 10: choose 256 to 65507 bytes"},
      {{"--datagram", "1400.5", "--", probe}, "--datagram '1400.5' is not a whole number of bytes"},
      {{"--max-message", "2KB", "--", probe}, "--max-message '2KB' is not a size"},
      {{"--max-message", "0", "--", probe}, "ceiling of 0 bytes"},
      {{"--port", "70000", "--", probe}, "--port 70000: choose"},
      {{"--launch-agent", "", "--", probe}, "--launch-agent '': give a command"},
      {{"--launch-agent", "ssh 'x", "--", probe}, "a quote (') is not closed"},
      {{"--launch-agent", "ssh", "--", probe}, "--launch-agent without other hosts: "},
      {{"--remote-lbsp", "/x/lbsp", "--", probe}, "--remote-lbsp without other hosts: "},
      {{"--checkpoint", "--", probe}, "--checkpoint: a value is missing before --"},
      {{"--tag-output=3", "--", probe}, "--tag-output takes no value"},
      {{"--tag-outputs", "--", probe}, "no option --tag-outputs"},
      {{"--wan", "rate=18446744073709551616Mbit", "--", probe}, "from 1bit to 1000000Gbit"},
      {{"--json", "", "--", probe}, "--json: the value is empty"},
      {{"--hosts", "", "--", probe}, "--hosts: the value is empty"},
      {{"--json", "/no/such/folder/r.json", "--", probe}, "/no/such/folder/r.json"},
      {{"--trace", "/no/such/folder/t", "--", probe}, "/no/such/folder/t"},
      {{"--trace", "-", "--", probe}, "--trace -: "},
      {{"--trace-packets", "10", "--", probe}, "--trace-packets"},
      {{"--trace", "t", "--trace-packets", "0", "--", probe}, "--trace-packets 0"},
      {{"--trace", "t", "--trace-packets", "10", "--backend", "threads", "--", probe},
       "--trace-packets with --backend threads: "},
      {{"--json", "r.json", "--trace", "./r.json", "--", probe},
       "--json and --trace both write r.json: give two"},
      {{"--hosts", "./h", "--json", "h", "--", probe},
       "--json h would replace what is read: give the name of"},
      {{"--hosts", "h", "--trace", "../h/../h", "--", "../h"},
       "--trace ../h/../h would replace what is read"},
      {{"--only", "a", "--", probe}, "--hosts"},
      {{"--hosts", "x", "--only", "a,", "--", probe}, "--only 'a,': a name is empty: write HOST,HOST"},
      {{"--hosts", "/no/such/hosts", "--", probe}, "cannot read the hosts file /no/such/hosts: No such file"},
      {{"--", "no_such_program"}, "no program no_such_program: the ready programs are matmul"},
      {{"--", "./no_such_program"}, "cannot run ./no_such_program: there is no such file"},
      {{"--", "/tmp"}, "cannot run /tmp: it is a directory"},
      {{"--", "/etc/passwd"}, "cannot run /etc/passwd: it is not executable"},
      {{"--", ""}, "the program's name is empty"},
  };
  for (const auto& [words, part] : cases) {
    SCOPED_TRACE(part);
    expect_refusal(run(words), part);
  }
}

TEST(BadInput, is_refused_at_once_whatever_the_number_of_ranks) {
  const auto outcome = Command(lbsp_run({"-n", "9", "--", "no_such_program"})).wait(std::chrono::seconds{8});
  expect_refusal(outcome, "no program no_such_program");
}

TEST(BadInput, in_the_subcommand_is_refused) {
  expect_refusal(Command({built("lbsp")}).wait(), "no subcommand");
  expect_refusal(Command({built("lbsp"), "rnu"}).wait(), "no subcommand rnu");
}

TEST(BadInput, in_a_hosts_file_is_refused_by_its_line) {
  const TemporaryFolder folder;
  std::string nine_megabytes;
  nine_megabytes.resize(9'000'000, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "names no host"},
      {"# only a comment\n\n", "names no host"},
      {"localhost slots=0\n", "line 1: slots=0: choose"},
      {"\nlocalhost slots=2x\n", "line 2: slots=2x: choose"},
      {"localhost slots\n", "line 1: slots has no value"},
      {"localhost slots=1 slots=2\n", "line 1: slots is there twice"},
      {"localhost cores=4\n", "line 1: \"cores=4\" is not known"},
      {"slots=4 localhost\n", "line 1: \"slots=4\" comes first"},
      {"a\nb\na slots=2 # again\n", "line 3: a is in line 1 already"},
      {"root@a\n", "line 1: \"root@a\" is no host name"},
      {"-oProxyCommand=x\n", "line 1: "},
      {"-oProxyCommand\n", "line 1: \"-oProxyCommand\" is no host name: write letters, "},
      {"a;touch${IFS}x\n", "line 1: \"a;touch${IFS}x\" is no host name"},
      {"a`x`\n", "line 1: \"a`x`\" is no host name"},
      {"a,b\n", "line 1: \"a,b\" is no host name"},
      {"a user=-oProxyCommand=touch${IFS}x\n", "line 1: user=\"-oProxyCommand=touch${IFS}x\": write letters"},
      {"a user=-l\n", "line 1: user=\"-l\": write letters"},
      {"a user=$(x)\n", "line 1: user=\"$(x)\": write letters"},
      {"a address=-4\n", "line 1: address=\"-4\": write an IP address"},
      {"a address=1.2.3.4;x\n", "line 1: address=\"1.2.3.4;x\": write an IP address"},
      {std::string("a\0b\n", 4), "line 1: \"a\\x00b\" is no host name"},
      {"\x1b[31mred\n", "line 1: \"\\x1b[31mred\" is no host name"},
      {"a slots=\x1b[31m\n", "line 1: slots=\\x1b[31m: choose"},
      {"a \x1b[31m\n", "line 1: \"\\x1b[31m\" is not known"},
      {nine_megabytes, "it has more than 8MiB: give another path"},
      {numbered_hosts(70'000), "line 65536: more than 65535 hosts"},
      {"localhost slots=2\n", "3 ranks need 3 slots, and "},
  };
  for (const auto& [text, part] : cases) {
    SCOPED_TRACE(part);
    const std::string hosts = folder.write("hosts", text);
    expect_refusal(run({"-n", "3", "--hosts", hosts, "--", built("job_probe"), "steps", "1"}), part);
  }
}

TEST(BadInput, such_as_more_slots_than_a_job_may_have_ranks_is_refused) {
  const TemporaryFolder folder;
  const std::string hosts = folder.write("hosts", "a slots=65535\nb slots=65535\n");
  expect_refusal(run({"--hosts", hosts, "--", built("job_probe"), "steps", "1"}),
                 "131070 slots: a job has at most 65535 ranks: choose how many with -n");
}

TEST(BadInput, such_as_a_file_that_is_none_or_has_no_end_is_refused_at_once) {
  const std::string probe = built("job_probe");
  expect_refusal(run({"--hosts", "/", "--", probe}), "cannot read the hosts file /: Is a directory");
  expect_refusal(run({"--hosts", "/dev/zero", "--", probe}),
                 "cannot read the hosts file /dev/zero: it is a device");
  expect_refusal(run({"--profile", "/dev/zero", "--", probe}),
                 "cannot read the profile /dev/zero: it is a device");
  expect_refusal(run({"--profile", "/", "--", probe}), "cannot read the profile /: Is a directory");
}

TEST(BadInput, such_as_a_host_without_an_address_is_refused) {
  const TemporaryFolder folder;
  const std::string hosts = folder.write("hosts", "no-such-host.invalid\nlocalhost\n");
  const Outcome outcome = run({"--hosts", hosts, "--", built("job_probe"), "steps", "1"});
  expect_refusal(outcome, "host no-such-host.invalid: no-such-host.invalid has no address here");
  EXPECT_TRUE(outcome.errors.ends_with(": give one as address=ADDRESS in a hosts file\n")) << outcome.errors;
}

TEST(BadInput, such_as_a_loopback_address_for_other_hosts_is_refused) {
  const TemporaryFolder folder;
  const std::string hosts = folder.write("hosts", "localhost\nother address=192.0.2.1\n");
  expect_refusal(run({"--hosts", hosts, "--", built("job_probe"), "steps", "1"}),
                 "host localhost: its address 127.0.0.1 means every other host itself");
}

/// A number is an address for the system's resolver.
TEST(BadInput, such_as_an_address_that_no_host_has_is_refused) {
  const TemporaryFolder folder;
  for (const auto& [address, meant] : std::vector<std::pair<std::string, std::string>>{
           {"999", "0.0.3.231"}, {"0.0.0.0", "0.0.0.0"}, {"224.0.0.1", "224.0.0.1"}, {"::", "::"}}) {
    const std::string hosts = folder.write("hosts", "h1 address=" + address + "\nh2 address=192.0.2.1\n");
    expect_refusal(run({"--hosts", hosts, "--", built("job_probe"), "steps", "1"}),
                   "host h1: " + address + " means the address " + meant + ", which no host has: ");
  }
}

TEST(BadInput, such_as_a_port_in_use_is_named) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t length = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  const int port = ntohs(address.sin_port);
  expect_refusal(run({"--port", std::to_string(port), "--", built("job_probe"), "steps", "1"}),
                 "is in use: choose another --port");
  ::close(socket);
}

TEST(BadInput, such_as_too_few_descriptors_is_refused) {
  for (const char* limit : {"5", "8", "14"}) {
    const auto outcome = Command({"sh", "-c", "ulimit -n " + std::string(limit) + "; exec \"$@\"", "sh",
                                  built("lbsp"), "run", "-n", "2", "--", built("job_probe"), "sizes"})
                             .wait();
    expect_refusal(outcome, "raise the limit of open files");
  }
}

TEST(BadInput, such_as_a_limit_of_files_that_leaves_no_room_to_keep_a_job_is_refused) {
  const auto outcome = Command({"sh", "-c", "ulimit -f 2; exec \"$@\"", "sh", built("lbsp"), "run", "-n", "2",
                                "--on-failure", "shrink", "--", built("job_probe"), "steps", "1"})
                           .wait();
  expect_refusal(outcome, "File too large: raise the limit of a file's length (ulimit -f)");
}

TEST(BadInput, such_as_a_limit_of_files_below_the_reports_length_is_named) {
  const TemporaryFolder folder;
  // What this test hears goes to a file, too.
  const auto outcome =
      Command({"sh", "-c", "(ulimit -f 1; exec \"$@\") 2>&1 | cat", "sh", built("lbsp"), "run", "-n", "2",
               "--json", folder.path() / "report.json", "--", built("job_probe"), "steps", "1"})
          .wait();
  EXPECT_THAT(outcome.output, EndsWith("File too large: raise the limit of a file's length (ulimit -f)\n"));
}

TEST(BadInput, such_as_too_little_memory_for_the_threads_is_refused) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const auto outcome = Command({"sh", "-c", "ulimit -v 500000; exec \"$@\"", "sh", built("lbsp"), "run", "-n",
                                "64", "--backend", "threads", "--", built("job_probe"), "steps", "1"})
                           .wait();
  expect_refusal(outcome, "no thread for a rank: use fewer ranks");
}

TEST(BadInput, such_as_a_total_loss_ends_in_time_with_the_silent_rank) {
  const auto outcome = run(
      {"-n", "2", "--wan", "loss=100%", "--peer-timeout", "500ms", "--", built("job_probe"), "steps", "3"});
  expect_refusal(outcome, " on localhost at 127.0.0.1:");
  EXPECT_NE(outcome.errors.find(" was never heard by rank "), std::string::npos) << outcome.errors;
}

TEST(BadInput, such_as_a_total_loss_among_several_is_not_put_down_to_one_of_the_others) {
  const auto outcome = run(
      {"-n", "3", "--wan", "loss=100%", "--peer-timeout", "500ms", "--", built("job_probe"), "steps", "3"});
  expect_refusal(outcome, " has never heard any of the other 2 ranks, in 0.5 s: ");
}

}  // namespace
}  // namespace lbsp::test
