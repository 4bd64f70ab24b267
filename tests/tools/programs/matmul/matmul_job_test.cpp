#include "tools/programs/matmul/matmul_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <mutex>
#include <numeric>

#include "tests/tools/programs/program_job.hpp"

namespace lbsp::programs::matmul {
namespace {

using namespace ::testing;

class MatmulJob : public ProgramJob {
 protected:
  Outcome run_job(Rank ranks, const MatmulArguments& arguments, std::optional<bool> expect_verified) {
    return ProgramJob::run_job(ranks, matmul_job, arguments, expect_verified);
  }

  /// The error of rank 0, which all other ranks are told.
  void expect_refused(const MatmulArguments& arguments, const std::string& message) {
    const auto outcomes = run_failing_ranks(4, [&](World& world) { matmul_job(world, arguments); });
    EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), HasSubstr(message));
    for (std::size_t rank = 1; rank < 4; ++rank) {
      EXPECT_THAT(test::text_of<Aborted>(outcomes[rank]), HasSubstr(message));
    }
  }
};

TEST_P(MatmulJob, says_in_one_line_what_it_did) {
  MatmulArguments arguments;
  arguments.size = 65;
  EXPECT_THAT(
      run_job(4, arguments, true).summary,
      MatchesRegex(
          "matmul: N=65 P=4 double [0-9.e+-]+ s, [0-9.e+-]+ GFlop/s, relative error [0-9.e-]+, verified"));
  arguments.single_precision = true;
  EXPECT_THAT(run_job(9, arguments, true).summary,
              AllOf(StartsWith("matmul: N=65 P=9 single"), EndsWith(", verified")));
  arguments.verify = false;
  EXPECT_THAT(run_job(1, arguments, std::nullopt).summary, EndsWith(" GFlop/s"));
}

TEST_P(MatmulJob, multiplies_files_into_a_file) {
  std::vector<double> counted(6);
  std::iota(counted.begin(), counted.end(), 1);
  MatmulArguments arguments;
  arguments.a = save("a.npy", {2, 3}, counted);
  arguments.b = save("b.npy", {3, 2}, counted);
  arguments.out = folder_.path() / "c.npy";
  EXPECT_THAT(run_job(4, arguments, true).summary, StartsWith("matmul: 2x3 by 3x2 P=4 "));
  const auto product = read_npy<double>(folder_.path() / "c.npy", 2);
  EXPECT_EQ(product.shape, (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(product.values, (std::vector<double>{22, 28, 49, 64}));
  EXPECT_EQ(folder_.files(), 3U);
}

TEST_P(MatmulJob, makes_the_same_product_of_a_seed_on_any_number_of_ranks) {
  MatmulArguments arguments;
  arguments.size = 33;
  arguments.seed = 5;
  arguments.out = folder_.path() / "one.npy";
  run_job(1, arguments, true);
  arguments.out = folder_.path() / "nine.npy";
  run_job(9, arguments, true);
  const auto one = read_npy<double>(folder_.path() / "one.npy", 2).values;
  const auto nine = read_npy<double>(folder_.path() / "nine.npy", 2).values;
  for (std::size_t i = 0; i < one.size(); ++i)
    ASSERT_NEAR(one[i], nine[i], 1e-12);
}

TEST_P(MatmulJob, keeps_to_the_algorithm_and_the_memory_that_it_is_given) {
  MatmulArguments arguments;
  arguments.size = 40;
  arguments.limits.memory_bytes = sizeof(double) * 2 * 40 * 3;  // panels of three on a 2 x 2 grid
  EXPECT_THAT(run_job(4, arguments, true).summary, EndsWith(", verified"));
  arguments.limits = {algorithms::ProductAlgorithm::fox, {}};
  EXPECT_THAT(run_job(9, arguments, true).summary, EndsWith(", verified"));
  arguments.limits = {algorithms::ProductAlgorithm::direct, 100};
  for (const auto& outcome : run_failing_ranks(4, [&](World& world) { matmul_job(world, arguments); })) {
    EXPECT_THAT(test::text_of<Error>(outcome), HasSubstr("are allowed: give that much"));
  }
}

TEST_P(MatmulJob, for_which_no_machine_has_memory_is_refused_before_any_is_used) {
  MatmulArguments arguments;
  arguments.size = 3'000'000;
  for (const auto& outcome : run_failing_ranks(4, [&](World& world) { matmul_job(world, arguments); }))
    EXPECT_THAT(test::text_of<Error>(outcome),
                HasSubstr("one rank's part of three matrices of 3000000x3000000 would take "));
}

TEST_P(MatmulJob, never_verifies_what_is_not_finite_and_writes_no_file_of_it) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    MatmulArguments arguments;
    arguments.a = save<double>("a.npy", {2, 2}, {1, bad, 3, 4});
    arguments.b = save<double>("b.npy", {2, 2}, {1, 2, 3, 4});
    arguments.out = folder_.path() / "c.npy";
    const Outcome outcome = run_job(4, arguments, false);
    EXPECT_THAT(outcome.summary, EndsWith(", not verified"));
    EXPECT_THAT(outcome.refutation, HasSubstr("look for NaN"));
    EXPECT_THAT(outcome.summary + outcome.refutation, Not(HasSubstr("-nan")));
    EXPECT_THAT(outcome.refutation, Not(HasSubstr("nan away")));
    EXPECT_EQ(folder_.files(), 2U);
  }
}

TEST_P(MatmulJob, refuses_wrong_files_on_all_ranks) {
  MatmulArguments arguments;
  arguments.a = save<double>("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  arguments.b = folder_.path() / "missing.npy";
  expect_refused(arguments, "missing.npy: there is no such file");
  arguments.b = arguments.a;
  expect_refused(arguments, "a.npy is 2 x 3: give a second matrix of 3 rows");
  arguments.b = save<float>("f.npy", {3, 1}, {1, 2, 3});
  expect_refused(arguments, "f.npy: it holds float32 where float64 is wanted");
  arguments.b = save<double>("e.npy", {3, 0}, {});
  expect_refused(arguments, "e.npy holds a matrix of 3 x 0: give one with at least one");
}

TEST_P(MatmulJob, finds_out_before_the_work_that_the_product_cannot_be_written) {
  MatmulArguments arguments;
  arguments.size = 8;
  arguments.out = folder_.path() / "nowhere" / "c.npy";
  expect_refused(arguments, "cannot write");
}

TEST_P(MatmulJob, refuses_a_number_of_ranks_that_is_no_square_before_it_looks_at_files) {
  MatmulArguments arguments;
  arguments.a = arguments.b = folder_.path() / "missing.npy";
  for (const auto& outcome : run_failing_ranks(2, [&](World& world) { matmul_job(world, arguments); })) {
    EXPECT_THAT(test::text_of<UsageError>(outcome), HasSubstr("of 2 ranks: start 1 or 4"));
  }
}

LBSP_OVER_ALL_BACKENDS(MatmulJob);

}  // namespace
}  // namespace lbsp::programs::matmul
