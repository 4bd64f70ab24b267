// lbsp probe where its own host has too few descriptors to start what measures there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;

TEST(ProbeCommand, says_that_its_workers_cannot_be_started_for_lack_of_descriptors) {
  const TemporaryFolder folder;
  const std::string hosts = folder.write("hosts", "localhost\n127.0.0.1\n127.0.0.2\n");
  for (const char* limit : {"16", "20"}) {
    const auto outcome =
        Command({"sh", "-c", "ulimit -n " + std::string(limit) + "; exec \"$@\"", "sh", built("lbsp"),
                 "probe", "--hosts", hosts, "--pairs", "localhost/127.0.0.1,127.0.0.1/127.0.0.2",
                 "--no-compute", "--packet-sizes", "1400", "--count", "60", "--max-rate", "10Mbit"})
            .wait();
    EXPECT_EQ(outcome.code, 1) << limit;
    EXPECT_THAT(outcome.errors, HasSubstr("oo many open files")) << limit;
    EXPECT_THAT(outcome.errors, HasSubstr("lbsp: no pair could be measured")) << limit;
  }
}

}  // namespace
}  // namespace lbsp::test
