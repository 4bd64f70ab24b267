#include "tools/programs/sort/sort_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/programs/program_arguments.hpp"

namespace lbsp::programs::sort {
namespace {

using ::testing::HasSubstr;

const ProgramArguments sort_arguments("bitonic_sort", parse_sort);

TEST(SortArguments, have_defaults_for_a_quick_run) {
  const SortArguments arguments = sort_arguments({});
  EXPECT_EQ(arguments.size, 1U << 20);
  EXPECT_EQ(arguments.type, std::nullopt);
  EXPECT_EQ(arguments.order, algorithms::SortOrder::ascending);
  EXPECT_EQ(arguments.in + arguments.out, "");
}

TEST(SortArguments, are_taken_as_given) {
  const SortArguments arguments = sort_arguments({"--size", "0", "--seed", "18446744073709551615", "--type",
                                                  "uint64", "--descending", "--out", "sorted.npy"});
  EXPECT_EQ(arguments.size, 0U);
  EXPECT_EQ(arguments.seed, ~std::uint64_t{0});
  EXPECT_EQ(arguments.type, KeyType::uint64);
  EXPECT_EQ(arguments.order, algorithms::SortOrder::descending);
  EXPECT_EQ(arguments.out, "sorted.npy");
  EXPECT_EQ(sort_arguments({"--in", "keys.npy"}).in, "keys.npy");
}

TEST(SortArguments, verify_up_to_a_size_unless_told) {
  EXPECT_TRUE(sort_arguments({}).verifies(1U << 24));
  EXPECT_FALSE(sort_arguments({}).verifies((1U << 24) + 1));
  EXPECT_TRUE(sort_arguments({"--verify"}).verifies(std::size_t{1} << 40));
  EXPECT_FALSE(sort_arguments({"--no-verify"}).verifies(1));
}

TEST(SortArguments, that_are_wrong_are_refused_in_one_line) {
  sort_arguments.expect_refused({"--size", "-1"}, "--size");
  sort_arguments.expect_refused({"--size", "99999999999999999999"}, "--size");
  sort_arguments.expect_refused({"--size", "1.5"}, "--size");
  sort_arguments.expect_refused({"--seed", "-1"}, "--seed");
  sort_arguments.expect_refused({"--type", "float16"}, "--type");
  sort_arguments.expect_refused({"--in", "keys.npy", "--size", "5"}, "--size");
  sort_arguments.expect_refused({"--in", "keys.npy", "--seed", "5"}, "--seed");
  sort_arguments.expect_refused({"--verify", "--no-verify"}, "--verify");
  sort_arguments.expect_refused({"--ascending"}, "--ascending");
  sort_arguments.expect_refused({"1024"}, "1024");
}

TEST(SortArguments, that_ask_for_help_get_an_example) {
  EXPECT_THAT(sort_arguments.help(), HasSubstr("lbsp run -n 4 -- bitonic_sort --size"));
}

}  // namespace
}  // namespace lbsp::programs::sort
