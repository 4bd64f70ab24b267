// The one line that a command ends with which cannot do what it is asked to.
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using CommandWords = std::vector<std::string>;

TEST(ErrorLine, names_lbsp_once) {
  const std::vector<CommandWords> mistakes = {{"probe"},
                                              {"probe", "host", "--listen", "4000"},
                                              {"hosts"},
                                              {"hosts", "sideways"},
                                              {"trace"},
                                              {"trace", "sideways"},
                                              {"model"},
                                              {"model", "sideways"},
                                              {"wan"},
                                              {"wan", "sideways"},
                                              {"wan", "exec"},
                                              {"wan", "exec", "--sideways", "--", "true"},
                                              {"run"},
                                              {"run", "--sideways", "--", "true"},
                                              {"join", "1"},
                                              {"join", "sideways", "localhost"},
                                              {"watch", "--odd"},
                                              {"attach", "--odd"},
                                              {"tune"},
                                              {"report"},
                                              {"estimate"},
                                              {"sideways"}};
  for (CommandWords words : mistakes) {
    words.insert(words.begin(), built("lbsp"));
    const Outcome outcome = Command(words).wait();
    SCOPED_TRACE(testing::PrintToString(words));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, StartsWith("lbsp: "));
    EXPECT_THAT(outcome.errors, Not(StartsWith("lbsp: lbsp")));
    EXPECT_EQ(lines_of(outcome.errors).size(), 1U) << outcome.errors;
  }
}

/// Nobody has named that address: it is the one by which ranks of one host reach each other.
TEST(ErrorLine, says_how_a_host_gets_its_loopback_address_back) {
  const std::string bare = "ip link set lo up && ip address flush dev lo";
  if (std::system(("unshare -rn sh -c '" + bare + "' 2> /dev/null").c_str()) != 0)
    GTEST_SKIP() << "no network namespaces here";
  CommandWords words = {"unshare", "-rn", "sh", "-c", bare + " && exec \"$@\"", "sh"};
  const CommandWords job = lbsp_run({"-n", "4", "--backend", "udp", "--", built("matmul"), "--size", "64"});
  words.insert(words.end(), job.begin(), job.end());
  const Outcome outcome = Command(words).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("no interface of this host has the address 127.0.0.1, by which its "
                                        "processes reach each other: give it to lo "
                                        "(ip address add 127.0.0.1/8 dev lo)\n"));
}

}  // namespace
}  // namespace lbsp::test
