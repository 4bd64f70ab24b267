#include "tools/programs/matmul/matmul_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/programs/program_arguments.hpp"

namespace lbsp::programs::matmul {
namespace {

using ::testing::HasSubstr;

const ProgramArguments matmul_arguments("matmul", parse_matmul);

TEST(MatmulArguments, have_defaults_for_a_quick_run) {
  const MatmulArguments arguments = matmul_arguments({});
  EXPECT_EQ(arguments.size, 1024U);
  EXPECT_FALSE(arguments.single_precision);
  EXPECT_FALSE(arguments.from_files());
}

TEST(MatmulArguments, are_taken_as_given) {
  const MatmulArguments arguments = matmul_arguments(
      {"--size", "7", "--seed", "18446744073709551615", "--precision", "single", "--out", "c.npy"});
  EXPECT_EQ(arguments.size, 7U);
  EXPECT_EQ(arguments.seed, ~std::uint64_t{0});
  EXPECT_TRUE(arguments.single_precision);
  EXPECT_EQ(arguments.out, "c.npy");
  EXPECT_TRUE(matmul_arguments({"--a", "a.npy", "--b", "b.npy"}).from_files());
}

TEST(MatmulArguments, limit_the_algorithm_and_its_memory) {
  EXPECT_FALSE(matmul_arguments({}).limits.algorithm || matmul_arguments({}).limits.memory_bytes);
  EXPECT_EQ(matmul_arguments({"--algorithm", "fox"}).limits.algorithm, algorithms::ProductAlgorithm::fox);
  EXPECT_EQ(matmul_arguments({"--algorithm", "summa"}).limits.algorithm, algorithms::ProductAlgorithm::summa);
  EXPECT_EQ(matmul_arguments({"--memory", "64KiB"}).limits.memory_bytes, 65536U);
}

TEST(MatmulArguments, verify_up_to_a_size_unless_told) {
  EXPECT_TRUE(matmul_arguments({}).verifies({4096, 4096, 4096}));
  EXPECT_FALSE(matmul_arguments({}).verifies({4097, 4096, 4096}));
  EXPECT_TRUE(matmul_arguments({"--verify"}).verifies({9999, 9999, 9999}));
  EXPECT_FALSE(matmul_arguments({"--no-verify"}).verifies({1, 1, 1}));
}

TEST(MatmulArguments, that_are_wrong_are_refused_in_one_line) {
  matmul_arguments.expect_refused({"--size", "0"}, "--size");
  matmul_arguments.expect_refused({"--size", "-3"}, "--size");
  matmul_arguments.expect_refused({"--size", "99999999999"}, "--size");
  matmul_arguments.expect_refused({"--size", "many"}, "--size");
  matmul_arguments.expect_refused({"--size", "1.5"}, "--size");
  matmul_arguments.expect_refused({"--seed", "-1"}, "--seed");
  matmul_arguments.expect_refused({"--precision", "half"}, "--precision");
  matmul_arguments.expect_refused({"--algorithm", "cannon"}, "--algorithm");
  matmul_arguments.expect_refused({"--memory", "much"}, "--memory");
  matmul_arguments.expect_refused({"--a", "a.npy"}, "--b");
  matmul_arguments.expect_refused({"--b", "b.npy"}, "--a");
  matmul_arguments.expect_refused({"--a", "a.npy", "--b", "b.npy", "--size", "5"}, "--size");
  matmul_arguments.expect_refused({"--verify", "--no-verify"}, "--verify");
  matmul_arguments.expect_refused({"--sise", "5"}, "--sise");
  matmul_arguments.expect_refused({"1024"}, "1024");
}

TEST(MatmulArguments, that_ask_for_help_get_an_example) {
  EXPECT_THAT(matmul_arguments.help(), HasSubstr("lbsp run -n 4 -- matmul --size 1024"));
}

}  // namespace
}  // namespace lbsp::programs::matmul
