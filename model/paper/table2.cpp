#include "model/paper/table2.hpp"

namespace lbsp::model::paper {
namespace {

constexpr double paper_flops = 0.5e9;

/// What the paper prints of a column.
struct Printed {
  double rounds, sequential, communication, total, speedup, efficiency;
};

Table2Row row(const char* name, Workload workload, const Network& network, int copies,
              const Printed& printed) {
  workload.name = name;
  const Cost cost = cost_of(workload, network, copies);
  const double sequential = workload.sequential_seconds;
  return {std::move(workload),
          network,
          copies,
          {printed.rounds, cost.rounds.value()},
          {printed.sequential, sequential},
          {printed.communication, cost.communication},
          {printed.total, cost.seconds},
          {printed.speedup, cost.speedup},
          {printed.efficiency, cost.efficiency}};
}

Network network(double loss, double packet_bytes, double bytes_per_second, double round_trip) {
  return {loss, packet_bytes / bytes_per_second, round_trip};
}

}  // namespace

std::vector<Table2Row> table2() {
  const Network large = network(0.045, 65536, 17.5e6, 0.069);
  return {
      row("matmul", matmul(32768, 65536, {paper_flops, 65536}), large, 7,
          {1.025, 140765.34, 27.54, 29.69, 4740.89, 0.072}),
      row("bitonic", bitonic_sort(2147483648., 131072, {paper_flops, 65536}), large, 6,
          {1.002, 133.14, 28.18, 28.194, 4.72, 0.000036}),
      row("fft2d", fft2d(17179869184., 32768, {paper_flops, 256}), network(0.0005, 256, 17.5e6, 0.05), 3,
          {1.24, 5841.15, 7.35, 7.55, 773.4, 0.02}),
      row("laplace", paper_jacobi(262144, 131072, {paper_flops, 24}), network(0.0005, 24, 24e6, 0.05), 5,
          {1.0, 23364.44, 1.7, 1.8783, 12439.43, 0.095}),
  };
}

}  // namespace lbsp::model::paper
