#include "tools/programs/fft2d/fft2d_job.hpp"

#include <cmath>
#include <complex>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/tools/programs/program_arguments.hpp"
#include "tests/tools/programs/program_job.hpp"
#include "tools/programs/fft2d/fft2d_arguments.hpp"

namespace lbsp::programs::fft2d {
namespace {

using namespace ::testing;
using Complex = std::complex<double>;

class Fft2dJob : public ProgramJob {};

TEST_P(Fft2dJob, says_in_one_line_what_it_did) {
  Fft2dArguments arguments;
  arguments.rows = 33;
  arguments.columns = 20;
  EXPECT_THAT(
      run_job(3, fft2d_job, arguments, true).summary,
      MatchesRegex("fft2d: 33x20 P=3 double [0-9.e+-]+ s, [0-9.e+-]+ GFlop/s, relative error [0-9.e-]+, "
                   "verified"));
  arguments.single_precision = arguments.inverse = arguments.transposed = true;
  const Outcome single = run_job(4, fft2d_job, arguments, true);
  EXPECT_THAT(single.summary, StartsWith("fft2d: 33x20 P=4 single inverse transposed "));
  EXPECT_THAT(single.summary, EndsWith(", verified"));
  arguments.verify = false;
  EXPECT_THAT(run_job(1, fft2d_job, arguments, std::nullopt).summary, EndsWith(" GFlop/s"));
}

TEST_P(Fft2dJob, transforms_a_file_into_a_file_and_back) {
  const std::vector<double> image{1, 2, 3, 4, 5, 7};
  Fft2dArguments arguments;
  arguments.in = save<double>("in.npy", {2, 3}, image);
  arguments.out = path("out.npy");
  EXPECT_THAT(run_job(3, fft2d_job, arguments, true).summary, StartsWith("fft2d: 2x3 P=3 "));
  const auto spectrum = read_npy<Complex>(arguments.out, 2);
  EXPECT_LE(std::abs(spectrum.values[0] - 22.), 1e-14);  // the sum
  EXPECT_LE(std::abs(spectrum.values[3] + 10.), 1e-14);  // the rows' difference
  arguments.in = arguments.out;
  arguments.out = path("back.npy");
  arguments.inverse = true;
  run_job(2, fft2d_job, arguments, true);
  const auto back = read_npy<Complex>(arguments.out, 2);
  EXPECT_EQ(back.shape, (std::vector<std::size_t>{2, 3}));
  for (std::size_t i = 0; i < image.size(); ++i)
    EXPECT_LE(std::abs(back.values[i] - image[i]), 1e-14);
}

TEST_P(Fft2dJob, reads_images_and_single_precision_and_writes_what_it_computed_in) {
  Fft2dArguments arguments;
  arguments.single_precision = arguments.transposed = true;
  arguments.in = save<std::uint8_t>("in.npy", {1, 4}, {255, 0, 1, 0});
  arguments.out = path("out.npy");
  run_job(2, fft2d_job, arguments, true);
  const auto spectrum = read_npy<std::complex<float>>(arguments.out, 2);
  EXPECT_EQ(spectrum.shape, (std::vector<std::size_t>{4, 1}));
  EXPECT_EQ(spectrum.values[0], std::complex<float>(256));
  EXPECT_EQ(spectrum.values[1], std::complex<float>(254));
}

TEST_P(Fft2dJob, never_verifies_what_is_not_finite_and_writes_no_file_of_it) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Fft2dArguments arguments;
    arguments.in = save<double>("in.npy", {2, 2}, {1, bad, 3, 4});
    arguments.out = path("out.npy");
    const Outcome outcome = run_job(2, fft2d_job, arguments, false);
    EXPECT_THAT(outcome.summary, EndsWith(", not verified"));
    EXPECT_THAT(outcome.refutation, HasSubstr("look for NaN"));
    EXPECT_THAT(outcome.summary + outcome.refutation, Not(HasSubstr("-nan")));
    EXPECT_THAT(outcome.refutation, Not(HasSubstr("nan away")));
    EXPECT_EQ(folder_.files(), 1U);
  }
}

TEST_P(Fft2dJob, refuses_wrong_files_on_all_ranks) {
  const auto expect_refused = [&](const std::string& in, const std::string& message) {
    Fft2dArguments arguments;
    arguments.in = in;
    for (const auto& outcome : run_failing_ranks(3, [&](World& world) { fft2d_job(world, arguments); }))
      EXPECT_THAT(test::text_of<Error>(outcome), HasSubstr(message));
  };
  expect_refused(path("missing.npy"), "missing.npy: there is no such file");
  expect_refused(save<double>("line.npy", {4}, {1, 2, 3, 4}),
                 "line.npy: its shape (4,) is 1-D where 2-D is wanted");
  expect_refused(save<double>("empty.npy", {0, 3}, {}), "empty.npy holds a grid of 0 x 3: give one");
  expect_refused(folder_.write("text.npy", "no array"), "text.npy: it is no NumPy .npy file");
}

LBSP_OVER_ALL_BACKENDS(Fft2dJob);

const ProgramArguments fft2d_arguments("fft2d", parse_fft2d);

TEST(Fft2dArguments, are_taken_as_given) {
  EXPECT_EQ(fft2d_arguments({"--size", "7"}).rows, 7U);
  EXPECT_EQ(fft2d_arguments({"--size", "7"}).columns, 7U);
  const auto given =
      fft2d_arguments({"--rows", "3", "--columns", "9", "--inverse", "--transposed", "--single"});
  EXPECT_EQ(given.rows, 3U);
  EXPECT_EQ(given.columns, 9U);
  EXPECT_TRUE(given.inverse && given.transposed && given.single_precision);
  EXPECT_TRUE(fft2d_arguments({}).verifies(std::size_t{4096} * 4096));
  EXPECT_FALSE(fft2d_arguments({}).verifies(std::size_t{4096} * 4097));
  EXPECT_FALSE(fft2d_arguments({"--no-verify"}).verifies(1));
}

TEST(Fft2dArguments, that_are_wrong_are_refused_in_one_line) {
  fft2d_arguments.expect_refused({"--size", "0"}, "--size");
  fft2d_arguments.expect_refused({"--size", "-1"}, "--size");
  fft2d_arguments.expect_refused({"--size", "nan"}, "--size");
  fft2d_arguments.expect_refused({"--rows", "5"}, "--columns");
  fft2d_arguments.expect_refused({"--rows", "5", "--columns", "5", "--size", "5"}, "--size");
  fft2d_arguments.expect_refused({"--in", "a.npy", "--size", "5"}, "--size");
  fft2d_arguments.expect_refused({"--in", "a.npy", "--seed", "5"}, "--seed");
  fft2d_arguments.expect_refused({"--verify", "--no-verify"}, "--verify");
  fft2d_arguments.expect_refused({"grid.npy"}, "grid.npy");
}

TEST(Fft2dArguments, that_ask_for_help_get_an_example) {
  EXPECT_THAT(fft2d_arguments.help(), HasSubstr("lbsp run -n 4 -- fft2d --size 1024"));
}

}  // namespace
}  // namespace lbsp::programs::fft2d
