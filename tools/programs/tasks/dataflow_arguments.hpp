#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "transport/units.hpp"

namespace lbsp::programs::tasks {

/// Which graph of tasks is run.
enum class DataflowProgram { matmul, fft, jacobi };

/// What dataflow is asked to do.
struct DataflowArguments {
  DataflowProgram program = DataflowProgram::matmul;
  std::size_t size = 0;    ///< rows of the matrices, points, or rows of the grid; 0: the program's default
  std::size_t pieces = 8;  ///< blocks on a side, or pieces
  std::size_t iterations = 20;  ///< sweeps of jacobi
  std::uint64_t seed = 1;
  std::string out{};                ///< .npy file for the result, if any
  std::string picture{};            ///< file for the picture of the graph and of who ran what, if any
  std::string timeline{};           ///< .csv file for when levels ended, if any
  std::size_t replicate_every = 0;  ///< as RunOptions::replicate_every
  std::uint64_t spare_bytes = std::uint64_t{1}
                              << 30;  ///< of streams that a rank keeps for when another is lost
  transport::Duration pause{0};       ///< what each token takes longer
  std::optional<bool> verify{};       ///< unless given, by the work

  /// Unless asked, what takes one core more than some seconds is not verified.
  bool verifies() const;
};

/// Returns the text to print instead of running, if that is asked for. Throws UsageError.
std::optional<std::string> parse_dataflow(int count, const char* const* words, DataflowArguments& parsed);

}  // namespace lbsp::programs::tasks
