#include "tools/programs/jacobi/jacobi_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/tools/programs/program_arguments.hpp"
#include "tests/tools/programs/program_job.hpp"
#include "tools/programs/jacobi/jacobi_arguments.hpp"

namespace lbsp::programs::jacobi {
namespace {

using namespace ::testing;

class JacobiJob : public ProgramJob {
 protected:
  void expect_refused(const JacobiArguments& arguments, const std::string& message) {
    for (const auto& outcome : run_failing_ranks(3, [&](World& world) { jacobi_job(world, arguments); }))
      EXPECT_THAT(test::text_of<Error>(outcome), HasSubstr(message));
  }
};

JacobiArguments small() {
  JacobiArguments arguments;
  arguments.rows = 15;
  arguments.columns = 17;
  arguments.boundary = parse_boundary("top=1");
  arguments.halo = 8;
  arguments.check_every = 16;
  return arguments;
}

TEST_P(JacobiJob, says_in_one_line_what_it_did) {
  JacobiArguments arguments = small();
  arguments.tolerance = 1e-3;
  EXPECT_THAT(
      run_job(4, jacobi_job, arguments, true).summary,
      MatchesRegex("jacobi: 15x17 P=4 in 4x1 blocks, halo 8: converged after [0-9]+ sweeps, residual "
                   "[0-9.e-]+, [0-9.e+-]+ s, [0-9.]+ [num]s a sweep, relative error [0-9.e-]+, verified"));
  arguments.shape = algorithms::BlockShape::rectangles;
  arguments.tolerance.reset();
  arguments.iterations = 21;
  EXPECT_THAT(run_job(4, jacobi_job, arguments, true).summary,
              StartsWith("jacobi: 15x17 P=4 in 2x2 blocks, halo 8: ended after 21 sweeps, "));
  arguments.verify = false;
  EXPECT_THAT(run_job(3, jacobi_job, arguments, std::nullopt).summary, EndsWith("s a sweep"));
}

TEST(JacobiSummary, says_what_a_long_sweep_takes_in_a_unit_that_fits) {
  JacobiArguments arguments;
  arguments.rows = arguments.columns = 2500;
  arguments.iterations = 1;
  arguments.verify = false;
  Outcome outcome;
  test::outcomes(test::all_backends().front(), 1,
                 [&](World& world) { outcome = jacobi_job(world, arguments); });
  EXPECT_THAT(outcome.summary, MatchesRegex(".*: ended after 1 sweep, .* s, [0-9]+[.]?[0-9]* ms a sweep"));
}

TEST_P(JacobiJob, solves_a_file_into_a_file) {
  JacobiArguments arguments = small();
  arguments.initial = save<double>("in.npy", {3, 3}, {9, 1, 9, 2, 0, 3, 9, 6, 9});
  arguments.out = path("out.npy");
  EXPECT_THAT(run_job(4, jacobi_job, arguments, true).summary, HasSubstr("jacobi: 3x3 P=4 "));
  const auto solution = read_npy<double>(arguments.out, 2);
  EXPECT_EQ(solution.values, (std::vector<double>{9, 1, 9, 2, 3, 3, 9, 6, 9}));
}

TEST_P(JacobiJob, takes_edges_from_numbers_sines_and_files) {
  JacobiArguments arguments = small();
  arguments.rows = 3;
  arguments.columns = 4;
  arguments.boundary =
      parse_boundary("top=" + save<double>("top.npy", {4}, {0, 1, 2, 0}) + ",left=-1,right=sine");
  arguments.iterations = 1;
  arguments.out = path("out.npy");
  run_job(2, jacobi_job, arguments, true);
  EXPECT_EQ(read_npy<double>(arguments.out, 2).values,
            (std::vector<double>{0, 1, 2, 0, -1, 0, 0.75, 1, 0, 0, 0, 0}));
}

TEST_P(JacobiJob, solves_the_smallest_grids) {
  for (const std::size_t rows : std::vector<std::size_t>{1, 2, 3}) {
    JacobiArguments arguments = small();
    arguments.rows = rows;
    EXPECT_THAT(run_job(4, jacobi_job, arguments, true).summary, EndsWith(", verified"));
  }
}

TEST_P(JacobiJob, ends_with_an_error_where_values_overflow) {
  JacobiArguments arguments = small();
  arguments.boundary = parse_boundary("top=1.7e308,bottom=1.7e308,left=1.7e308,right=1.7e308");
  expect_refused(arguments, "the grid is not finite after");
}

TEST_P(JacobiJob, stops_after_its_sweeps_or_at_the_fixed_point_that_rounding_leaves) {
  JacobiArguments arguments = small();
  arguments.rows = arguments.columns = 5;
  arguments.boundary = parse_boundary("top=0.3,left=0.7");
  arguments.tolerance = 1e-300;
  EXPECT_THAT(run_job(3, jacobi_job, arguments, true).summary, HasSubstr(" sweeps, residual 0, "));
  arguments.iterations = 40;
  EXPECT_THAT(run_job(3, jacobi_job, arguments, true).summary, HasSubstr("ended after 40 sweeps"));
}

TEST_P(JacobiJob, refuses_wrong_files_on_all_ranks) {
  JacobiArguments arguments = small();
  arguments.initial = path("missing.npy");
  expect_refused(arguments, "missing.npy: there is no such file");
  arguments.initial = save<double>("nan.npy", {2, 2}, {1, 2, std::numeric_limits<double>::quiet_NaN(), 3});
  expect_refused(arguments, "nan.npy holds nan at row 1, column 0: give finite numbers");
  arguments.initial = save<double>("empty.npy", {3, 0}, {});
  expect_refused(arguments, "empty.npy holds a grid of 3 x 0: give one");
  arguments.initial.clear();
  arguments.boundary = parse_boundary("left=" + save<double>("edge.npy", {3}, {1, 2, 3}));
  expect_refused(arguments, "edge.npy holds 3 points where the edge has 15");
  arguments.out = path("nowhere") + "/x.npy";
  expect_refused(arguments, "cannot write");
}

LBSP_OVER_ALL_BACKENDS(JacobiJob);

const ProgramArguments jacobi_arguments("jacobi", parse_jacobi);

TEST(JacobiArguments, are_taken_as_given) {
  const JacobiArguments defaults = jacobi_arguments({});
  EXPECT_EQ(defaults.rows, 257U);
  EXPECT_EQ(defaults.tolerance_or_none(), 1e-6);
  EXPECT_EQ(defaults.boundary.top.value, 1);
  EXPECT_EQ(defaults.boundary.left.value, 0);
  const JacobiArguments given =
      jacobi_arguments({"--rows", "5", "--columns", "9", "--iterations", "70", "--halo", "4", "--blocks",
                        "2d", "--boundary", "left=-2.5,top=sine,right=a/b.npy"});
  EXPECT_EQ(given.columns, 9U);
  EXPECT_EQ(given.tolerance_or_none(), 0);
  EXPECT_EQ(given.iterations, 70U);
  EXPECT_EQ(given.halo, 4U);
  EXPECT_EQ(given.shape, algorithms::BlockShape::rectangles);
  EXPECT_EQ(given.boundary.left.value, -2.5);
  EXPECT_EQ(given.boundary.top.kind, Edge::Kind::sine);
  EXPECT_EQ(given.boundary.right.path, "a/b.npy");
  EXPECT_EQ(jacobi_arguments({"--iterations", "70", "--tolerance", "0.1"}).tolerance_or_none(), 0.1);
}

TEST(JacobiArguments, that_are_wrong_are_refused_in_one_line) {
  jacobi_arguments.expect_refused({"--size", "0"}, "--size");
  jacobi_arguments.expect_refused({"--rows", "5"}, "--columns");
  jacobi_arguments.expect_refused({"--tolerance", "0"}, "--tolerance");
  jacobi_arguments.expect_refused({"--tolerance", "-1"}, "--tolerance");
  jacobi_arguments.expect_refused({"--tolerance", "nan"}, "--tolerance");
  jacobi_arguments.expect_refused({"--iterations", "0"}, "--iterations");
  jacobi_arguments.expect_refused({"--halo", "0"}, "--halo");
  jacobi_arguments.expect_refused({"--check", "0"}, "--check");
  jacobi_arguments.expect_refused({"--blocks", "3d"}, "--blocks");
  jacobi_arguments.expect_refused({"--initial", "g.npy", "--size", "5"}, "--size");
  jacobi_arguments.expect_refused({"--initial", "g.npy", "--boundary", "top=1"}, "--boundary");
  jacobi_arguments.expect_refused({"--boundary", ""}, "--boundary");
  jacobi_arguments.expect_refused({"--boundary", "top"}, "--boundary top: write");
  jacobi_arguments.expect_refused({"--boundary", "top=1,"}, "--boundary");
  jacobi_arguments.expect_refused({"--boundary", "front=1"}, "--boundary front: write");
  jacobi_arguments.expect_refused({"--boundary", "top=nan"}, "--boundary nan: write");
  jacobi_arguments.expect_refused({"--boundary", "top=1e999"}, "--boundary 1e999: write");
  jacobi_arguments.expect_refused({"--boundary", "top=1,top=2"}, "has top twice");
}

TEST(Edge, of_a_sine_is_zero_at_its_ends) {
  const Edge sine{Edge::Kind::sine, 0, {}};
  EXPECT_EQ(sine.at(0, 9), 0);
  EXPECT_EQ(sine.at(8, 9), 0);
  EXPECT_EQ(sine.at(4, 9), 1);
  EXPECT_EQ(sine.at(0, 1), 0);
}

}  // namespace
}  // namespace lbsp::programs::jacobi
