#include "tools/programs/dataflow_arguments.hpp"

#include <cmath>
#include <fmt/format.h>

#include "tools/command_line/atomic_file.hpp"
#include "tools/programs/common_options.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

constexpr auto dataflow_about =
    "Runs a program as a graph of tasks, which find their ranks themselves (L-HEFT), on any number of ranks:\n"
    "matmul multiplies two random matrices block by block, fft transforms random complex values in pieces, jacobi\n"
    "sweeps over a random grid in blocks of rows. Prints one line: sizes, tasks, time, what was sent, and the\n"
    "result's relative error against a single-process one.\n";
constexpr auto dataflow_examples =
    "Examples:\n"
    "  lbsp run -n 4 -- dataflow matmul --size 1024 --pieces 8 --verify\n"
    "  lbsp run -n 4 -- dataflow fft --size 65536 --pieces 64 --out spectrum.npy\n"
    "  lbsp run -n 4 -- dataflow jacobi --pieces 12 --iterations 10 --picture jacobi.dot && dot -Tsvg -O jacobi.dot\n";

constexpr command_line::CommandLine::Range points{1, std::uint64_t{1} << 32};
constexpr command_line::CommandLine::Range many{1, 4096};

/// Such a graph takes some hundred MB, and a second to make.
constexpr double most_tokens = 1e6;

double tokens_of(const DataflowArguments& arguments) {
  const auto pieces = static_cast<double>(arguments.pieces);
  switch (arguments.program) {
    case DataflowProgram::matmul:
      return pieces * pieces * pieces;
    case DataflowProgram::fft:
      return pieces * (std::log2(pieces) + 1);
    case DataflowProgram::jacobi:
      break;
  }
  return pieces * static_cast<double>(arguments.iterations + 1);
}

std::size_t usual_size(DataflowProgram program) {
  if (program == DataflowProgram::fft) return std::size_t{1} << 20;
  return program == DataflowProgram::jacobi ? 512 : 1024;
}

}  // namespace

bool DataflowArguments::verifies() const {
  const auto n = static_cast<double>(size);
  switch (program) {
    case DataflowProgram::matmul:
      return verify.value_or(n * n * n <= 2048. * 2048. * 2048.);
    case DataflowProgram::fft:
      return verify.value_or(n <= 16e6);
    case DataflowProgram::jacobi:
      break;
  }
  return verify.value_or(n * n * static_cast<double>(iterations) <= 2e9);
}

std::optional<std::string> parse_dataflow(int count, const char* const* words, DataflowArguments& parsed) {
  command_line::CommandLine line("dataflow", dataflow_about, dataflow_examples);
  std::string program;
  line.add_choice("program", program, {"matmul", "fft", "jacobi"}, "what to run");
  std::optional<std::uint64_t> size;
  line.add_whole("--size", size, points,
                 "N: rows of the matrices [1024], points to transform [1048576], or rows of the grid [512]");
  line.add_whole("--pieces", parsed.pieces, many,
                 "blocks on a side of each matrix, or pieces; of fft a power of two that divides N");
  line.add_whole("--iterations", parsed.iterations, {1, 1'000'000}, "sweeps of jacobi");
  line.add_whole("--seed", parsed.seed,
                 "seed of the random values, which are the same on any number of ranks");
  line.add("--out", parsed.out, "TEXT", "write the result to this .npy file");
  line.add("--picture", parsed.picture, "TEXT",
           "write the graph and who ran what to this file, in the language of Graphviz");
  add_verify(line, parsed.verify,
             "compare with a single-process result; the default where that takes seconds");
  auto help = line.parse_silently(count, words);
  if (help) return help;
  if (program.empty()) throw UsageError("dataflow: what to run is missing: give matmul, fft or jacobi");
  parsed.program = program == "fft"      ? DataflowProgram::fft
                   : program == "jacobi" ? DataflowProgram::jacobi
                                         : DataflowProgram::matmul;
  if (command_line::is_same_file(parsed.out, parsed.picture))
    throw UsageError(fmt::format("dataflow: --out and --picture both write {}: give two names", parsed.out));
  parsed.size = size.value_or(usual_size(parsed.program));
  if (parsed.program != DataflowProgram::fft && parsed.size > largest_side) {
    throw UsageError("dataflow: --size: a matrix or grid has at most 1000000 rows: see dataflow --help");
  }
  if (tokens_of(parsed) > most_tokens) {
    throw UsageError(fmt::format(
        "dataflow: {:.0f} tokens, and a graph has at most {:.0f}: give fewer --pieces or --iterations",
        tokens_of(parsed), most_tokens));
  }
  return help;
}

}  // namespace lbsp::programs
