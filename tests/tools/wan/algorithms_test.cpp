// Every algorithm on four hosts of a bed that loses a tenth of the packets, over either backend.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

using Job = std::tuple<bool, Words>;

/// Over MPI if the first is true: the command line in the second.
class AlgorithmOnBed : public Bed, public testing::WithParamInterface<Job> {};

TEST_P(AlgorithmOnBed, is_verified_at_a_loss_of_a_tenth) {
  const auto& [over_mpi, program] = GetParam();
  const TemporaryFolder files;
  const std::string report = files.path() / "report";
  ASSERT_EQ(up({"-n", "4", "--wan", "loss=10%,rtt=20ms"}).code, 0);
  Words words = {"--json", report, "--"};
  words.insert(words.end(), program.begin(), program.end());
  words.push_back("--verify");
  const auto outcome =
      Command(over_mpi ? mpi_run_words(words) : run_words(words)).wait(std::chrono::seconds{100});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto found = nlohmann::json::parse(files.read("report"));
  EXPECT_EQ(found["verified"], true);
  EXPECT_EQ(found["ranks"], 4);
  EXPECT_EQ(found["backend"], over_mpi ? "mpi" : "udp");
  EXPECT_GT(stats()["total"]["lost"], 0);
}

const auto programs =
    testing::Values(Words{"matmul", "--size", "100"}, Words{"bitonic_sort", "--size", "10000"},
                    Words{"fft2d", "--size", "64"}, Words{"jacobi", "--size", "34", "--iterations", "20"});

std::string name_of(const testing::TestParamInfo<Job>& info) {
  return std::get<1>(info.param).front();
}

INSTANTIATE_TEST_SUITE_P(OverLbsp, AlgorithmOnBed, testing::Combine(testing::Values(false), programs),
                         name_of);
#ifdef LBSP_WITH_MPI
INSTANTIATE_TEST_SUITE_P(OverMpi, AlgorithmOnBed, testing::Combine(testing::Values(true), programs), name_of);
#endif

}  // namespace
}  // namespace lbsp::test
