#include "tools/programs/sort/sort_job.hpp"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/tools/programs/program_job.hpp"

namespace lbsp::programs::sort {
namespace {

using namespace ::testing;

class SortJob : public ProgramJob {
 protected:
  Outcome run_job(Rank ranks, const SortArguments& arguments, std::optional<bool> expect_verified) {
    return ProgramJob::run_job(ranks, sort_job, arguments, expect_verified);
  }

  template <class T>
  std::vector<T> sorted_file(const SortArguments& asked, Rank ranks = 4) {
    SortArguments arguments = asked;
    arguments.out = folder_.path() / "sorted.npy";
    EXPECT_THAT(run_job(ranks, arguments, true).summary, EndsWith(", verified"));
    return read_npy<T>(arguments.out, 1).values;
  }

  /// The error of rank 0, which all other ranks are told.
  template <class E = UsageError>
  void expect_refused(const SortArguments& arguments, const std::string& message) {
    const auto outcomes = run_failing_ranks(4, [&](World& world) { sort_job(world, arguments); });
    EXPECT_THAT(test::text_of<E>(outcomes[0]), HasSubstr(message));
    for (std::size_t rank = 1; rank < 4; ++rank) {
      EXPECT_THAT(test::text_of<Aborted>(outcomes[rank]), HasSubstr(message));
    }
  }
};

SortArguments of_size(std::size_t size) {
  SortArguments arguments;
  arguments.size = size;
  return arguments;
}

SortArguments of_file(const std::string& path) {
  SortArguments arguments;
  arguments.in = path;
  return arguments;
}

TEST_P(SortJob, says_in_one_line_what_it_did) {
  SortArguments arguments = of_size(1001);
  EXPECT_THAT(run_job(4, arguments, true).summary,
              MatchesRegex("bitonic_sort: N=1001 P=4 float64 [0-9.e+-]+ s, [0-9.e+-]+ Mkey/s, verified"));
  arguments.type = KeyType::int32;
  arguments.order = algorithms::SortOrder::descending;
  EXPECT_THAT(run_job(2, arguments, true).summary,
              AllOf(StartsWith("bitonic_sort: N=1001 P=2 int32 descending "), EndsWith(", verified")));
  arguments.verify = false;
  EXPECT_THAT(run_job(1, arguments, std::nullopt).summary, EndsWith(" Mkey/s"));
}

TEST_P(SortJob, sorts_keys_of_every_type_however_few_there_are) {
  for (const KeyType type : all_key_types) {
    for (const std::size_t size : std::vector<std::size_t>{0, 1, 3, 50}) {
      SortArguments arguments = of_size(size);
      arguments.type = type;
      EXPECT_THAT(run_job(4, arguments, true).refutation, IsEmpty()) << name_of(type) << ", " << size;
    }
  }
}

TEST_P(SortJob, sorts_a_file_into_a_file_of_the_same_type) {
  EXPECT_THAT(sorted_file<std::int64_t>(of_file(save<std::int64_t>("i.npy", {5}, {3, -9, 7, 0, 3}))),
              ElementsAre(-9, 0, 3, 3, 7));
  SortArguments downwards = of_file(save<float>("f.npy", {3}, {1.5F, 2.5F, -1.F}));
  downwards.order = algorithms::SortOrder::descending;
  EXPECT_THAT(sorted_file<float>(downwards), ElementsAre(2.5F, 1.5F, -1.F));
  EXPECT_THAT(sorted_file<double>(of_file(save<double>("e.npy", {0}, {}))), IsEmpty());
  EXPECT_THAT(sorted_file<std::uint64_t>(of_file(save<std::uint64_t>("u.npy", {1}, {~0ULL}))),
              ElementsAre(~0ULL));
}

TEST_P(SortJob, sorts_raw_keys_of_the_type_it_is_told) {
  SortArguments arguments = of_file(folder_.write("keys.bin", std::string_view("\2\0\0\0\1\0\0\0", 8)));
  arguments.type = KeyType::int32;
  EXPECT_THAT(sorted_file<std::int32_t>(arguments), ElementsAre(1, 2));
}

TEST_P(SortJob, puts_nan_last_and_is_verified) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto sorted = sorted_file<double>(of_file(save<double>("nan.npy", {6}, {nan, 0., 5, -0., nan, -3})));
  EXPECT_THAT(std::vector(sorted.begin(), sorted.begin() + 4), ElementsAre(-3, 0, 0, 5));
  EXPECT_TRUE(std::signbit(sorted[1]) && !std::signbit(sorted[2]));
  EXPECT_TRUE(std::isnan(sorted[4]) && std::isnan(sorted[5]));
}

TEST_P(SortJob, makes_the_same_keys_of_a_seed_on_any_number_of_ranks) {
  SortArguments arguments = of_size(333);
  arguments.seed = 5;
  EXPECT_EQ(sorted_file<double>(arguments, 1), sorted_file<double>(arguments, 8));
}

TEST_P(SortJob, refuses_wrong_files_on_all_ranks) {
  expect_refused(of_file(folder_.path() / "missing.npy"), "missing.npy: there is no such file");
  expect_refused(of_file(save<double>("matrix.npy", {2, 2}, {1, 2, 3, 4})),
                 "(2, 2) is 2-D where 1-D is wanted");
  expect_refused(of_file(folder_.write("text.npy", "1 2 3\n")), "text.npy: it is no NumPy .npy file");
  const std::string whole =
      folder_.read(std::filesystem::path(save<double>("d.npy", {3}, {1, 2, 3})).filename().string());
  expect_refused(of_file(folder_.write("short.npy", whole.substr(0, whole.size() - 3))), "it ends early");
  expect_refused(of_file(save<std::complex<double>>("c.npy", {1}, {{1, 2}})), "none of int32, int64");
  SortArguments mistyped = of_file(save<float>("f.npy", {1}, {1}));
  mistyped.type = KeyType::float64;
  expect_refused(mistyped, "it holds float32 where float64 is wanted");
}

TEST_P(SortJob, refuses_raw_files_that_hold_no_whole_keys_or_whose_type_it_is_not_told) {
  SortArguments arguments = of_file(folder_.write("keys.bin", "0123456789"));
  expect_refused(arguments, "keys.bin is taken for raw keys, as it is not named .npy: give their --type");
  arguments.type = KeyType::int64;
  expect_refused(arguments, "its 10 bytes are no whole number of 8-byte keys");
  arguments.in = folder_.path();
  expect_refused(arguments, "it is no regular file");
  arguments.in = folder_.path() / "missing.bin";
  expect_refused(arguments, "missing.bin: it is no regular file");
}

TEST_P(SortJob, refuses_a_file_that_does_not_fit_in_memory_before_it_reads_it) {
  const auto path = folder_.write("huge.bin", "");
  std::error_code too_large_for_this_file_system;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43, too_large_for_this_file_system);
  if (too_large_for_this_file_system) GTEST_SKIP() << too_large_for_this_file_system.message();
  SortArguments arguments = of_file(path);
  arguments.type = KeyType::float64;
  expect_refused<SystemError>(arguments, "GiB of memory");
}

TEST_P(SortJob, refuses_more_random_keys_than_memory_holds) {
  for (const auto& outcome :
       run_failing_ranks(2, [&](World& world) { sort_job(world, of_size(std::size_t{1} << 42)); })) {
    EXPECT_THAT(test::text_of<Error>(outcome), HasSubstr("GiB of memory"));
  }
}

TEST_P(SortJob, finds_out_before_the_work_that_the_keys_cannot_be_written) {
  SortArguments arguments = of_size(8);
  arguments.out = folder_.path() / "nowhere" / "sorted.npy";
  expect_refused(arguments, "cannot write");
}

TEST_P(SortJob, refuses_a_number_of_ranks_that_is_no_power_of_two_before_it_looks_at_files) {
  const SortArguments arguments = of_file(folder_.path() / "missing.npy");
  for (const auto& outcome : run_failing_ranks(3, [&](World& world) { sort_job(world, arguments); })) {
    EXPECT_THAT(test::text_of<UsageError>(outcome), HasSubstr("on 3 ranks: start 2 or 4"));
  }
}

LBSP_OVER_ALL_BACKENDS(SortJob);

}  // namespace
}  // namespace lbsp::programs::sort
