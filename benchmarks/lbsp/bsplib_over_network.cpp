// The same comparison as bsplib_benchmark between the processes of a job, as users run them:
//     lbsp run -n 2 bsplib_over_network
#include <fmt/format.h>
#include <vector>

#include "benchmarks/lbsp/faces.hpp"
#include "lbsp/bsplib/calls.hpp"

namespace {

void compare_faces(lbsp::bsplib::Spmd& spmd, std::size_t puts) {
  constexpr std::size_t supersteps = 1;
  constexpr int number_of_pairs = 2000;
  lbsp::faces::Faces faces(spmd, puts);
  std::vector<lbsp::faces::Pair> pairs;
  for (int i = 0; i < number_of_pairs; ++i)
    pairs.push_back(measure(faces, supersteps, i % 2 == 1));
  if (spmd.rank() != 0) return;
  const auto comparison = compare(pairs, supersteps);
  fmt::print("{} ranks, {:5} puts: C++ {:7.1f} us, bsp.h {:7.1f} us, ratio {:.3f} ({:.3f} to {:.3f})\n",
             spmd.size(), puts, comparison.cpp_seconds * 1e6, comparison.c_seconds * 1e6, comparison.ratio,
             comparison.ratio_from, comparison.ratio_to);
}

}  // namespace

int main() {
  bsp_begin(bsp_nprocs());
  for (const std::size_t puts : {0U, 100U, 10'000U})
    compare_faces(*lbsp::bsplib::current(), puts);
  bsp_end();
}
