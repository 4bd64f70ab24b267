#pragma once

#include <vector>

#include "model/paper/workloads.hpp"

namespace lbsp::model::paper {

/// A value that the paper prints, and the one that its formulas give.
struct PrintedAndComputed {
  double printed = 0;
  double computed = 0;
  double difference() const { return computed / printed - 1; }
};

/// A column of the paper's Table II.
struct Table2Row {
  Workload workload;
  Network network;
  int copies = 1;
  PrintedAndComputed rounds;         ///< ρ̂_k
  PrintedAndComputed sequential;     ///< w_s, seconds
  PrintedAndComputed communication;  ///< seconds
  PrintedAndComputed total;          ///< seconds
  PrintedAndComputed speedup;
  PrintedAndComputed efficiency;
};

/// Table II of the paper, computed from its inputs: matmul, bitonic, fft2d, laplace. Where the paper
/// contradicts itself, the reading is the one that its printed results need: 2^16 nodes for matmul, 17.5 MB/s
/// for the FFT, α not rounded, MB = 1e6 bytes. docs/paper.md lists them all.
std::vector<Table2Row> table2();

}  // namespace lbsp::model::paper
