#include "tools/programs/tasks/dataflow_job.hpp"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

#include "tests/tools/programs/program_arguments.hpp"
#include "tests/tools/programs/program_job.hpp"
#include "tools/programs/tasks/dataflow_arguments.hpp"

namespace lbsp::programs::tasks {
namespace {

using namespace ::testing;

TEST(DataflowArguments, of_sweeps_are_for_jacobi_alone) {
  const ProgramArguments<DataflowArguments> arguments("dataflow", parse_dataflow);
  EXPECT_EQ(arguments({"jacobi", "--iterations", "4"}).iterations, 4U);
  EXPECT_EQ(arguments({"jacobi"}).iterations, 20U);
  arguments.expect_refused({"matmul", "--iterations", "4"}, "--iterations is for jacobi, not for matmul");
  arguments.expect_refused({"fft", "--iterations", "20"}, "--iterations is for jacobi, not for fft");
}

class DataflowJob : public ProgramJob {};

TEST_P(DataflowJob, multiplies_blocks_that_do_not_divide_the_matrix) {
  for (const Rank ranks : {1, 4, 9}) {
    EXPECT_THAT(
        run_job(ranks, dataflow_job, DataflowArguments{.size = 37, .pieces = 5}, true).summary,
        MatchesRegex("dataflow: matmul N=37 in 5x5 blocks P=[149]: 125 tokens in 5 levels, [0-9.e-]+ s, "
                     "[0-9.e+-]+ ms planning, [0-9.e+-]+ MB sent, relative error [0-9.e-]+, verified"));
  }
}

TEST_P(DataflowJob, transforms_in_as_many_tokens_as_there_are_butterflies) {
  for (const Rank ranks : {1, 3, 5}) {
    const DataflowArguments arguments{.program = DataflowProgram::fft, .size = 1 << 10, .pieces = 8};
    EXPECT_THAT(run_job(ranks, dataflow_job, arguments, true).summary,
                HasSubstr(": 32 tokens in 4 levels, "));
  }
}

TEST_P(DataflowJob, relaxes_a_grid_alike_bit_for_bit_in_any_pieces_on_any_ranks) {
  const auto relaxed = [&](Rank ranks, std::size_t pieces) {
    DataflowArguments arguments{
        .program = DataflowProgram::jacobi, .size = 29, .pieces = pieces, .iterations = 9};
    arguments.out = path("grid.npy");
    const std::string summary = run_job(ranks, dataflow_job, arguments, true).summary;
    EXPECT_THAT(summary,
                HasSubstr(fmt::format("jacobi 29x29 in {} pieces, 9 sweeps P={}: {} tokens in 10 levels, ",
                                      pieces, ranks, 10 * pieces)));
    return read_npy<double>(arguments.out, 2).values;
  };
  const auto in_one = relaxed(1, 1);
  EXPECT_EQ(relaxed(2, 12), in_one);
  EXPECT_EQ(relaxed(7, 5), in_one);
  EXPECT_EQ(relaxed(3, 29), in_one);
}

TEST_P(DataflowJob, writes_a_picture_of_who_ran_what) {
  DataflowArguments arguments{.program = DataflowProgram::jacobi, .size = 9, .pieces = 3, .iterations = 2};
  arguments.picture = path("graph.dot");
  arguments.verify = false;
  run_job(2, dataflow_job, arguments, std::nullopt);
  std::ifstream file(arguments.picture);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text,
              AllOf(StartsWith("digraph dataflow {"), HasSubstr("\"0/0\" -> \"1/1\""), HasSubstr("rank 1")));
}

TEST_P(DataflowJob, writes_when_each_level_ended) {
  DataflowArguments arguments{.program = DataflowProgram::jacobi, .size = 9, .pieces = 3, .iterations = 2};
  arguments.timeline = path("levels.csv");
  run_job(2, dataflow_job, arguments, true);
  std::ifstream file(arguments.timeline);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "seconds,level,tokens,again,ranks");
  for (int level = 0; level < 3; ++level) {
    std::getline(file, line);
    EXPECT_THAT(line, MatchesRegex(fmt::format("[0-9.]+,{},3,0,2", level)));
  }
  EXPECT_FALSE(std::getline(file, line));
}

TEST_P(DataflowJob, says_where_the_times_of_levels_find_no_room) {
  DataflowArguments arguments{.program = DataflowProgram::jacobi, .size = 9, .pieces = 3, .iterations = 2};
  arguments.timeline = "/dev/full";
  const auto failures = run_failing_ranks(2, [&](World& world) { dataflow_job(world, arguments); });
  EXPECT_THAT(test::text_of<Error>(failures.front()), HasSubstr("/dev/full could not be written whole"));
}

TEST_P(DataflowJob, pieces_that_do_not_fit_are_refused) {
  const auto refusal = [&](const DataflowArguments& arguments) {
    return test::text_of<Error>(
        run_failing_ranks(2, [&](World& world) { dataflow_job(world, arguments); }).front());
  };
  EXPECT_THAT(refusal({.program = DataflowProgram::fft, .size = 30, .pieces = 6}),
              HasSubstr("6 pieces: a transform has a power of two of them"));
  EXPECT_THAT(refusal({.program = DataflowProgram::fft, .size = 30, .pieces = 8}),
              HasSubstr("30 points in 8 pieces: give a multiple of the pieces"));
  EXPECT_THAT(refusal({.size = 3, .pieces = 4}), HasSubstr("4 blocks of 3 rows: give at least 1"));
  EXPECT_THAT(refusal({.program = DataflowProgram::jacobi, .size = 2, .pieces = 1}),
              HasSubstr("at least 3 x 3 points"));
}

LBSP_OVER_ALL_BACKENDS(DataflowJob);

std::string refused(std::vector<const char*> words) {
  words.insert(words.begin(), "dataflow");
  DataflowArguments arguments;
  try {
    parse_dataflow(static_cast<int>(words.size()), words.data(), arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(none)";
}

TEST(DataflowArguments, name_the_program_or_are_refused) {
  EXPECT_THAT(refused({}), HasSubstr("give matmul, fft or jacobi"));
  EXPECT_THAT(refused({"sort"}), HasSubstr("sort"));
  EXPECT_THAT(refused({"matmul", "--pieces", "101"}), HasSubstr("1030301 tokens"));
  EXPECT_THAT(refused({"jacobi", "--size", "1000001"}), HasSubstr("at most 1000000 rows"));
  EXPECT_THAT(refused({"jacobi", "--pause", "5"}), HasSubstr("dataflow: --pause: "));
  EXPECT_THAT(refused({"jacobi", "--spare", "much"}), HasSubstr("dataflow: --spare: "));
  EXPECT_THAT(refused({"jacobi", "--out", "a", "--timeline", "./a"}),
              HasSubstr("dataflow: --out and --timeline both write a: give two names"));
  EXPECT_EQ(refused({"jacobi", "--pause", "5ms", "--spare", "1MiB", "--replicate", "5"}), "(none)");
  EXPECT_EQ(refused({"fft", "--size", "1000001", "--pieces", "1"}), "(none)");
}

}  // namespace
}  // namespace lbsp::programs::tasks
