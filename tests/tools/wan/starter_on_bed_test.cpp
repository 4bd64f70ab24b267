// Programs that mpirun starts on two hosts of a bed that loses a tenth of the packets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

class StarterOnBed : public Bed, public ::testing::WithParamInterface<Words> {
 protected:
  void SetUp() override {
    Bed::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(up({"-n", "2", "--wan", "loss=10%,rtt=20ms"}).code, 0);
  }

  /// Two ranks on each host.
  Outcome by_mpirun(const Words& program) const {
    Words words = {"mpirun", "--host", "h0:2,h1:2", "--oversubscribe", "--quiet", "--mca", "plm_rsh_agent"};
    words.push_back(built("lbsp") + " wan exec --shell --name " + name_);
    if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
    words.insert(words.end(), program.begin(), program.end());
    return Command(exec_words("h0", words)).wait(std::chrono::seconds{100});
  }
};

TEST_P(StarterOnBed, has_its_programs_verified) {
  Words program = GetParam();
  program.front() = built(program.front());
  program.emplace_back("--verify");
  const auto outcome = by_mpirun(program);
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("P=4"));
  EXPECT_THAT(outcome.output, ::testing::HasSubstr(", verified"));
  EXPECT_GT(stats()["total"]["lost"], 0);
}

INSTANTIATE_TEST_SUITE_P(Of, StarterOnBed,
                         ::testing::Values(Words{"matmul", "--size", "100"},
                                           Words{"bitonic_sort", "--size", "10000"},
                                           Words{"fft2d", "--size", "64"},
                                           Words{"jacobi", "--size", "34", "--iterations", "20"}),
                         [](const auto& info) { return info.param.front(); });

using StarterOnBedFails = StarterOnBed;
TEST_F(StarterOnBedFails, in_one_line) {
  const auto outcome = by_mpirun({built("job_probe"), "throw", "3", "size"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              testing::MatchesRegex("lbsp: rank 3 on [^ ]+: the size is wrong: give another\n"));
}

}  // namespace
}  // namespace lbsp::test
