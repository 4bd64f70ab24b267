// The model and the programs are the same algorithms: what a run sends, counted without loss and with k = 1,
// is the model's c(n) and h for that workload. lbsp sends every other rank a message in every superstep, also
// where the algorithm has nothing to say; those are counted apart.
#include <cmath>
#include <gtest/gtest.h>

#include "algorithms/fft2d.hpp"
#include "algorithms/jacobi.hpp"
#include "algorithms/matmul.hpp"
#include "model/paper/workloads.hpp"
#include "model/tuning/program.hpp"
#include "tests/support/message_counts.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::algorithms {
namespace {

using test::count_messages;
using test::JobCounts;

constexpr std::size_t datagram_bytes = 1472;
/// What a packet holds of data, its own headers and those of lbsp's message taken off.
constexpr model::paper::Machine machine{1e9, 1390};

std::uint64_t pairs(Rank ranks) {
  return static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks - 1);
}

/// Supersteps `first` … of the job are what the step says, and every pair had one datagram in each superstep,
/// the program's end included.
void expect_step(const JobCounts& job, Rank ranks, const model::paper::CommunicationStep& step,
                 std::size_t first = 0) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(step.times); ++i) {
    const auto& superstep = job.supersteps.at(first + i);
    EXPECT_EQ(static_cast<double>(superstep.with_data), step.packets) << ranks << " ranks";
    EXPECT_EQ(static_cast<double>(superstep.most_from_one_rank), step.packets_per_node) << ranks << " ranks";
    EXPECT_EQ(superstep.with_data + superstep.empty, pairs(ranks));
  }
  EXPECT_EQ(job.datagrams, (job.supersteps.size() + 1) * pairs(ranks));
}

TEST(MessageCount, of_fft2d_is_the_model_s) {
  for (const Rank ranks : {2, 3, 4, 8, 9}) {
    const auto workload = model::paper::fft2d(12. * 10., ranks, machine);
    ASSERT_EQ(workload.packets_per_message, 1);
    const JobCounts job = count_messages(ranks, datagram_bytes, [](World& world) {
      Fft2d<double> fft(world, 12, 10);
      std::vector<std::complex<double>> values(fft.own_rows().count * 10);
      fft.transform(values);
    });
    ASSERT_EQ(workload.steps.size(), 1U);
    EXPECT_EQ(job.supersteps.size(), workload.steps[0].times);
    expect_step(job, ranks, workload.steps[0]);
  }
}

TEST(MessageCount, of_fft2d_left_transposed_is_one_of_the_model_s_two_phases) {
  const auto workload = model::paper::fft2d(12. * 10., 4, machine);
  const JobCounts job = count_messages(4, datagram_bytes, [](World& world) {
    Fft2d<double> fft(world, 12, 10, {.transposed = true});
    std::vector<std::complex<double>> values(fft.own_rows().count * 10);
    fft.transform(values);
  });
  ASSERT_EQ(job.supersteps.size(), 1U);
  EXPECT_EQ(static_cast<double>(job.supersteps[0].with_data), workload.steps[0].packets);
}

/// With messages of more than a packet the datagrams are the model's γ·c.
TEST(MessageCount, of_long_messages_is_gamma_times_the_model_s) {
  const auto workload = model::paper::fft2d(256. * 256., 4, {1e9, 1300});  // 65536 bytes a pair
  const JobCounts job = count_messages(4, 1300 + transport::data_overhead_bytes, [](World& world) {
    Fft2d<double> fft(world, 256, 256);
    std::vector<std::complex<double>> values(fft.own_rows().count * 256);
    fft.transform(values);
  });
  const double data = workload.packets_per_message * workload.steps[0].packets * workload.steps[0].times;
  EXPECT_EQ(static_cast<double>(job.datagrams - pairs(4)), data);  // without the end's empty messages
}

TEST(MessageCount, of_matmul_is_the_model_s) {
  for (const Rank ranks : {4, 9, 16}) {
    const auto workload = model::paper::matmul(24, ranks, machine);
    ASSERT_EQ(workload.packets_per_message, 1);
    const JobCounts job = count_messages(ranks, datagram_bytes, [](World& world) {
      matmul(world, BlockMatrix<float>(world, 24, 24), BlockMatrix<float>(world, 24, 24));
    });
    EXPECT_EQ(job.supersteps.size(), 1U);
    expect_step(job, ranks, workload.steps.at(0));
  }
}

/// Fox's way sends as many blocks as the direct one, over √P supersteps; its c per superstep is not the
/// paper's.
TEST(MessageCount, of_matmul_by_fox_is_the_model_s_over_several_supersteps) {
  for (const Rank ranks : {4, 9, 16}) {
    const auto workload = model::paper::matmul(24, ranks, machine);
    const JobCounts job = count_messages(ranks, datagram_bytes, [](World& world) {
      matmul_fox(world, BlockMatrix<float>(world, 24, 24), BlockMatrix<float>(world, 24, 24));
    });
    double sum = 0;
    for (const auto& superstep : job.supersteps)
      sum += static_cast<double>(superstep.with_data);
    EXPECT_EQ(static_cast<double>(job.supersteps.size()), std::sqrt(ranks));
    EXPECT_EQ(sum, workload.steps.at(0).packets);
    EXPECT_EQ(job.datagrams, (job.supersteps.size() + 1) * pairs(ranks));
  }
}

JobCounts count_jacobi(Rank ranks, std::size_t points, std::size_t halo, std::uint64_t sweeps) {
  return count_messages(ranks, datagram_bytes, [&](World& world) {
    GridBlock grid(world, GridBlocks::of(points, points, world.size(), BlockShape::rows), halo);
    jacobi(world, grid, {.sweeps = sweeps, .check_every = sweeps});
  });
}

/// The model's m counts meshes: m+1 points a side, m-1 unknowns. One superstep more than sweeps, with the
/// residual to every rank, which the model does not have.
TEST(MessageCount, of_jacobi_is_the_model_s_and_one_superstep_for_the_residual) {
  constexpr std::uint64_t sweeps = 7;
  constexpr std::size_t m = 40;
  for (const Rank ranks : {2, 3, 4, 8, 9}) {
    const auto workload = model::paper::jacobi(m, sweeps, ranks, machine);
    ASSERT_EQ(workload.packets_per_message, 1);
    const JobCounts job = count_jacobi(ranks, m + 1, 1, sweeps);
    ASSERT_EQ(job.supersteps.size(), sweeps + 1);
    expect_step(job, ranks, workload.steps.at(0));
    EXPECT_EQ(job.supersteps.back().with_data, pairs(ranks));
    // A row without its ends: as many values as the model's message has bytes for. 32 + 24 + 8 bytes of
    // heads.
    EXPECT_EQ(job.supersteps[1].longest, static_cast<std::uint64_t>(workload.message_bytes) + 64);
  }
}

/// The paper has three values where a row has m-1, and log2 P sweeps where the tolerance decides: its packets
/// per sweep are the same.
TEST(MessageCount, of_jacobi_has_the_paper_s_packets_of_other_lengths) {
  const auto paper = model::paper::paper_jacobi(40, 4, machine);
  const auto ours = model::paper::jacobi(40, paper.steps.at(0).times, 4, machine);
  EXPECT_EQ(paper.steps[0].packets, ours.steps.at(0).packets);
  EXPECT_EQ(paper.message_bytes, 24);
  EXPECT_EQ(ours.message_bytes, 8 * 39);
}

TEST(MessageCount, of_jacobi_with_a_deep_halo_is_that_of_fewer_sweeps) {
  const auto workload = model::paper::jacobi(30, 12. / 4, 4, machine);
  const JobCounts job = count_jacobi(4, 31, 4, 12);
  ASSERT_EQ(job.supersteps.size(), 3U + 1U);
  expect_step(job, 4, workload.steps.at(0));
}

/// The tuner's programs are counted in messages, as lbsp's are: the same number as in a run, and as long, but
/// for the two ends of Jacobi's rows, which need not be sent, and what the first superstep registers.
void expect_program(const JobCounts& job, const model::tuning::Program& program) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(program.supersteps); ++i) {
    const auto& superstep = job.supersteps.at(i);
    EXPECT_EQ(static_cast<double>(superstep.most_from_one_rank), program.destinations) << program.name;
    EXPECT_GE(static_cast<double>(superstep.longest), program.message_bytes + 48) << program.name;
    EXPECT_LE(static_cast<double>(superstep.longest), program.message_bytes + 380) << program.name;
  }
}

TEST(MessageCount, is_that_of_the_tuner_s_programs) {
  constexpr double any_rate = 1e9;
  expect_program(count_messages(9, datagram_bytes,
                                [](World& world) {
                                  matmul(world, BlockMatrix<double>(world, 24, 24),
                                         BlockMatrix<double>(world, 24, 24));
                                }),
                 model::tuning::matmul_program(24, 9, any_rate));
  expect_program(count_messages(4, datagram_bytes,
                                [](World& world) {
                                  Fft2d<double> fft(world, 64, 64);
                                  std::vector<std::complex<double>> values(fft.own_rows().count * 64);
                                  fft.transform(values);
                                }),
                 model::tuning::fft2d_program(64, 4, any_rate));
  expect_program(count_jacobi(4, 41, 1, 7), model::tuning::jacobi_program({41, 7}, 4, any_rate));
}

}  // namespace
}  // namespace lbsp::algorithms
