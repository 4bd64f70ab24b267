// The ready programs are what lbsp tune takes them for: as many supersteps, and such messages in each.
#include <algorithm>
#include <gtest/gtest.h>

#include "model/tuning/program.hpp"
#include "tests/support/message_counts.hpp"
#include "tools/programs/fft2d/fft2d_job.hpp"
#include "tools/programs/jacobi/jacobi_boundary.hpp"
#include "tools/programs/jacobi/jacobi_job.hpp"
#include "tools/programs/matmul/matmul_job.hpp"
#include "tools/programs/sort/sort_job.hpp"

namespace lbsp::programs {
namespace {

using model::tuning::Program;
using test::count_messages;
using test::JobCounts;
using test::MessageCounts;

constexpr std::size_t datagram_bytes = 60'000;
constexpr double flops = 1e9;

template <class Job, class Arguments>
JobCounts run(Rank ranks, Job job, Arguments arguments) {
  arguments.verify = false;
  return count_messages(ranks, datagram_bytes, [&](World& world) { job(world, arguments); });
}

/// What is said in a short superstep, and what a message may have besides a program's values.
constexpr double few_bytes = 400;

/// The supersteps come in any order; the job's end is not among those that were counted. In some the ranks also
/// say a few words to all others: what memory they register, how far their points still change.
void expect_as(const Program& told, const JobCounts& job) {
  int usual = 0;
  int brief = 0;
  double destinations = told.nodes;
  for (const MessageCounts& superstep : job.supersteps) {
    const auto longest = static_cast<double>(superstep.longest);
    if (longest <= few_bytes) {
      ++brief;
      continue;
    }
    ++usual;
    EXPECT_NEAR(longest, told.message_bytes, few_bytes + 0.05 * told.message_bytes) << told.name;
    destinations = std::min(destinations, static_cast<double>(superstep.most_from_one_rank));
  }
  EXPECT_EQ(usual, told.supersteps) << told.name;
  EXPECT_EQ(brief + 1, told.short_supersteps) << told.name;
  EXPECT_EQ(destinations, told.destinations) << told.name;
}

TEST(TunedPrograms, send_what_the_prediction_counts) {
  matmul::MatmulArguments matrices;
  matrices.size = 90;
  expect_as(model::tuning::matmul_program(90, 9, flops), run(9, matmul::matmul_job, matrices));
  sort::SortArguments keys;
  keys.size = 4096;
  expect_as(model::tuning::bitonic_sort_program(4096, 8, flops), run(8, sort::sort_job, keys));
  fft2d::Fft2dArguments points;
  points.rows = points.columns = 64;
  expect_as(model::tuning::fft2d_program(64, 4, flops), run(4, fft2d::fft2d_job, points));
  for (const std::size_t halo : {std::size_t{1}, std::size_t{4}, std::size_t{30}}) {
    jacobi::JacobiArguments grid;
    grid.rows = grid.columns = 82;
    grid.boundary = jacobi::parse_boundary("top=1");
    grid.iterations = 40;
    grid.halo = halo;
    expect_as(model::tuning::jacobi_program({82, 40, static_cast<double>(halo)}, 4, flops),
              run(4, jacobi::jacobi_job, grid));
  }
}

TEST(TunedPrograms, have_nobody_to_send_to_on_one_node) {
  for (const Program& alone :
       {model::tuning::matmul_program(90, 1, flops), model::tuning::bitonic_sort_program(4096, 1, flops),
        model::tuning::fft2d_program(64, 1, flops), model::tuning::jacobi_program({82, 40, 4}, 1, flops)}) {
    EXPECT_EQ(alone.supersteps + alone.short_supersteps, 0) << alone.name;
  }
}

}  // namespace
}  // namespace lbsp::programs
