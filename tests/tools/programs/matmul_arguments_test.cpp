#include "tools/programs/matmul_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::optional<std::string> parse(std::vector<const char*> arguments, MatmulArguments& parsed) {
  arguments.insert(arguments.begin(), "matmul");
  return parse_matmul(static_cast<int>(arguments.size()), arguments.data(), parsed);
}

MatmulArguments parsed(const std::vector<const char*>& arguments) {
  MatmulArguments result;
  EXPECT_EQ(parse(arguments, result), std::nullopt);
  return result;
}

void expect_refused(const std::vector<const char*>& arguments, const std::string& message) {
  EXPECT_THAT([&] { parsed(arguments); },
              ThrowsMessage<UsageError>(AllOf(StartsWith("matmul: "), HasSubstr(message),
                                              Not(HasSubstr("\n")), HasSubstr(": see matmul --help"))));
}

TEST(MatmulArguments, have_defaults_for_a_quick_run) {
  const MatmulArguments arguments = parsed({});
  EXPECT_EQ(arguments.size, 1024U);
  EXPECT_FALSE(arguments.single_precision);
  EXPECT_FALSE(arguments.from_files());
}

TEST(MatmulArguments, are_taken_as_given) {
  const MatmulArguments arguments =
      parsed({"--size", "7", "--seed", "18446744073709551615", "--precision", "single", "--out", "c.npy"});
  EXPECT_EQ(arguments.size, 7U);
  EXPECT_EQ(arguments.seed, ~std::uint64_t{0});
  EXPECT_TRUE(arguments.single_precision);
  EXPECT_EQ(arguments.out, "c.npy");
  EXPECT_TRUE(parsed({"--a", "a.npy", "--b", "b.npy"}).from_files());
}

TEST(MatmulArguments, limit_the_algorithm_and_its_memory) {
  EXPECT_FALSE(parsed({}).limits.algorithm || parsed({}).limits.memory_bytes);
  EXPECT_EQ(parsed({"--algorithm", "fox"}).limits.algorithm, algorithms::ProductAlgorithm::fox);
  EXPECT_EQ(parsed({"--algorithm", "summa"}).limits.algorithm, algorithms::ProductAlgorithm::summa);
  EXPECT_EQ(parsed({"--memory", "64KiB"}).limits.memory_bytes, 65536U);
}

TEST(MatmulArguments, verify_up_to_a_size_unless_told) {
  EXPECT_TRUE(parsed({}).verifies({4096, 4096, 4096}));
  EXPECT_FALSE(parsed({}).verifies({4097, 4096, 4096}));
  EXPECT_TRUE(parsed({"--verify"}).verifies({9999, 9999, 9999}));
  EXPECT_FALSE(parsed({"--no-verify"}).verifies({1, 1, 1}));
}

TEST(MatmulArguments, that_are_wrong_are_refused_in_one_line) {
  expect_refused({"--size", "0"}, "--size");
  expect_refused({"--size", "-3"}, "--size");
  expect_refused({"--size", "99999999999"}, "--size");
  expect_refused({"--size", "many"}, "--size");
  expect_refused({"--size", "1.5"}, "--size");
  expect_refused({"--seed", "-1"}, "--seed");
  expect_refused({"--precision", "half"}, "--precision");
  expect_refused({"--algorithm", "cannon"}, "--algorithm");
  expect_refused({"--memory", "much"}, "--memory");
  expect_refused({"--a", "a.npy"}, "--b");
  expect_refused({"--b", "b.npy"}, "--a");
  expect_refused({"--a", "a.npy", "--b", "b.npy", "--size", "5"}, "--size");
  expect_refused({"--verify", "--no-verify"}, "--verify");
  expect_refused({"--sise", "5"}, "--sise");
  expect_refused({"1024"}, "1024");
}

TEST(MatmulArguments, that_ask_for_help_get_an_example) {
  MatmulArguments arguments;
  EXPECT_THAT(parse({"--help"}, arguments).value_or(""), HasSubstr("lbsp run -n 4 -- matmul --size 1024"));
}

}  // namespace
}  // namespace lbsp::programs
