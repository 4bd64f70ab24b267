#include "model/pmm/table3.hpp"

namespace lbsp::model::pmm {
namespace {

struct Printed {
  double square, cube;
};

Table3Row row(const char* cluster, double nodes, double cores, Broadcast broadcast, const Rates& rates,
              const Printed& printed, const char* misprint = "") {
  return {cluster,
          nodes,
          cores,
          broadcast,
          rates,
          {printed.square, transfers(broadcast, Overlap::average, nodes) / rates.elements_per_second},
          {printed.cube, 2 / (nodes * rates.flops_per_second)},
          misprint};
}

}  // namespace

std::vector<Table3Row> table3() {
  constexpr auto dryad = Broadcast::flat;
  constexpr auto mpi = Broadcast::binomial;
  return {
      row("Dryad Tempest 25x1 20Gbps", 25, 1, dryad, {8.87e6, 8.64e9}, {6.764e-8, 9.259e-12}),
      row("Dryad Tempest 25x16 20Gbps", 25, 16, dryad, {10.27e6, 82.03e9}, {6.764e-8, 9.192e-13},
          "the M² coefficient is that of the row above; the M³ coefficient belongs to 87.03e9 flop/s"),
      row("Dryad Azure 100x1 100Mbps", 100, 1, dryad, {6.17e6, 6.98e9}, {8.913e-8, 2.865e-12}),
      row("MS.MPI Tempest 25x1 1Gbps", 25, 1, mpi, {10.73e6, 8.64e9}, {3.727e-8, 9.259e-12}),
      row("MS.MPI Tempest 25x1 20Gbps", 25, 1, mpi, {18.17e6, 8.64e9}, {2.205e-8, 9.259e-12}),
      row("IntelMPI Quarry 100x1 10Gbps", 100, 1, mpi, {15.62e6, 8.73e9}, {3.37e-8, 6.06e-12},
          "the M² coefficient is 2.1 times the binomial tree's, 4 % below the flat one's; the flop rate is that of the "
          "row below"),
      row("OpenMPI Odin 100x1 10Gbps", 100, 1, mpi, {16.71e6, 3.35e9}, {3.293e-8, 2.29e-12},
          "the M² coefficient is the flat tree's; the flop rate is that of the row above"),
  };
}

}  // namespace lbsp::model::pmm
