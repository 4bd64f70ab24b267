// The comparison's other carriers, between three processes on addresses of the loopback.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int ranks = 3;

std::string carriers() {
  return Command({built("superstep_probe"), "carriers"}).wait().output;
}

/// Of this process alone, so that tests can run at the same time.
std::string addresses() {
  const int id = ::getpid();
  std::string list;
  for (int rank = 0; rank < ranks; ++rank)
    list += fmt::format("{}127.{}.{}.{}", rank == 0 ? "" : ",", 1 + id / 256 % 254, id % 256, 1 + rank);
  return list;
}

std::unique_ptr<Command> probe(int rank, int bytes, int supersteps, const TemporaryFolder& folder,
                               const std::string& carrier) {
  return std::make_unique<Command>(std::vector<std::string>{built("superstep_probe"), std::to_string(bytes),
                                                            std::to_string(supersteps), folder.path(),
                                                            std::to_string(rank), addresses(), carrier});
}

int positive_lines(const std::string& text) {
  std::istringstream lines(text);
  int count = 0;
  for (double seconds = 0; lines >> seconds && seconds > 0;)
    ++count;
  return lines.eof() ? count : -1;
}

class Mesh : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!GetParam().starts_with("tcp-") && carriers().find(GetParam().substr(0, 3)) == std::string::npos) {
      GTEST_SKIP() << "superstep_probe was built without " << GetParam();
    }
  }

  /// Each rank checks all that it receives.
  void expect_supersteps(int bytes, int supersteps) {
    const TemporaryFolder folder;
    std::vector<std::unique_ptr<Command>> started;
    for (int rank = ranks; rank-- > 0;)  // those that connect before those that they connect to
      started.push_back(probe(rank, bytes, supersteps, folder, GetParam()));
    for (const auto& command : started) {
      const Outcome outcome = command->wait(std::chrono::seconds{100});
      EXPECT_EQ(outcome.code, 0);
      EXPECT_EQ(outcome.errors, "");
      EXPECT_EQ(outcome.output, "");
    }
    EXPECT_EQ(folder.files(), static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(positive_lines(folder.read(std::to_string(rank))), supersteps) << rank;
  }
};

TEST_P(Mesh, CarriesMessagesOfLessThanAPacket) {
  expect_supersteps(8, 50);
}
TEST_P(Mesh, CarriesMessagesOfManyPackets) {
  expect_supersteps(300'001, 5);
}
TEST_P(Mesh, CarriesMessagesLargerThanItsBuffers) {
  expect_supersteps(5 << 20, 1);
}

INSTANTIATE_TEST_SUITE_P(Carriers, Mesh, testing::Values("tcp-cubic", "udt", "srt", "udt-1Gbit", "srt-1Gbit"),
                         [](const auto& carrier) {
                           return std::regex_replace(carrier.param, std::regex("-"), "_");
                         });

TEST(SuperstepProbe, RefusesACarrierThatItHasNot) {
  const TemporaryFolder folder;
  const Outcome outcome = probe(0, 8, 1, folder, "pigeon")->wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: superstep_probe has no carrier 'pigeon': use one of "));
  EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1);
}

TEST(SuperstepProbe, RefusesAnAddressOfAnotherHost) {
  for (const std::string carrier : {"tcp-cubic", "udt", "srt"}) {
    if (carriers().find(carrier.substr(0, 4)) == std::string::npos) continue;
    const Outcome outcome =
        Command({built("superstep_probe"), "8", "1", "/tmp", "0", "192.0.2.1,192.0.2.2", carrier}).wait();
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("Cannot assign requested address"));
    EXPECT_THAT(outcome.errors, Not(HasSubstr("terminate")));
  }
}

}  // namespace
}  // namespace lbsp::test
