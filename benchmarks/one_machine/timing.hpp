#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace lbsp::benchmark {

/// What a rank of the comparison on one machine is told: PROGRAM BYTES BATCHES SUPERSTEPS.
struct Work {
  std::size_t bytes;  ///< from each rank to each other one, in each superstep; 0: the superstep is empty
  int batches;        ///< that are timed
  int supersteps;     ///< of each batch
};

inline Work work_from(int count, char** words) {
  if (count < 4) {
    std::fputs("lbsp: BYTES BATCHES SUPERSTEPS are missing: see benchmarks/one_machine/compare.py\n", stderr);
    std::exit(1);
  }
  return {std::strtoull(words[1], nullptr, 10), std::atoi(words[2]), std::atoi(words[3])};
}

/// The time of a superstep in microseconds: the median of the batches' means, after one that is not timed.
template <class Superstep>
double microseconds_of(const Work& work, Superstep superstep) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> means;
  for (int batch = 0; batch <= work.batches; ++batch) {
    const auto began = Clock::now();
    for (int step = 0; step < work.supersteps; ++step)
      superstep();
    const std::chrono::duration<double, std::micro> took = Clock::now() - began;
    if (batch > 0) means.push_back(took.count() / work.supersteps);
  }
  std::sort(means.begin(), means.end());
  return means[means.size() / 2];
}

}  // namespace lbsp::benchmark
